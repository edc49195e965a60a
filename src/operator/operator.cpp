#include <fmt/format.h>
#include <malloc.h>

#include <random>

#include "api/registry.hpp"
#include "base/keyed_hash.hpp"
#include "controller/sessions.hpp"
#include "deploy/embedded.hpp"
#include "net/core_dumps.hpp"
#include "operator/identity.hpp"
#include "operator/log.hpp"
#include "operator/process.hpp"

namespace sluice::operators {
namespace {

namespace asio = boost::asio;
using controller::Effects;
using controller::Input;
using controller::Log;

// For requests; each watch has one of its own on top.
constexpr std::size_t request_connections = 10;

// How long a write may still take when the process was told to end.
constexpr Duration shutdown_patience = 10s;

std::string fresh_key() {
    std::random_device random;
    std::string key;
    while (key.size() < HashKey::size)
        key.push_back(static_cast<char>(random() & 0xff));
    return key;
}

controller::Settings settings_of(const Options& options, const std::string& config_namespace,
                                 std::uint64_t seed) {
    controller::Settings settings;
    settings.namespaces = options.namespaces;
    settings.config_namespace = config_namespace;
    settings.apis = options.apis;
    settings.hook_retry = options.hook_retry;
    settings.plugin_directory = options.plugin_directory;
    for (const api::Api& api : api::apis())
        if (const auto said = options.choices.find(api.choice.flag);
            said != options.choices.end() && said->second == api.choice.words.back())
            settings.chosen.push_back(api.choice.second);
    settings.qps = options.qps;
    settings.leads_at_once = !options.leader_elect;
    settings.survives_defects = true;
    settings.seed = seed;
    settings.fresh_key = fresh_key();
    return settings;
}
std::size_t connections_for(const Options& options) {
    const controller::Settings settings = settings_of(options, {}, 0);
    const std::size_t of_named =
        controller::watches_named(settings, api::apis()) ? controller::named_sessions_max : 0;
    return request_connections + controller::make_sessions(settings, api::apis()).size() + of_named;
}

std::vector<kube::WantedPolicy> wanted_policies() {
    std::vector<kube::WantedPolicy> wanted;
    for (const deploy::EmbeddedManifest& file : deploy::embedded_manifests())
        if (file.path.starts_with("policies/"))
            for (kube::WantedPolicy& one : kube::policies_in(file.text))
                wanted.push_back(std::move(one));
    return wanted;
}

void plugin_line(Log::Level level, const std::string& text) {
    log_line(level, text);
}

}  // namespace

Operator::Operator(asio::io_context& loop, const std::shared_ptr<kube::Credentials>& credentials,
                   const Options& options, std::uint64_t seed)
    : loop_(loop),
      options_(options),
      policies_(wanted_policies()),
      config_namespace_(options.config_namespace.empty() ? credentials->default_namespace()
                                                         : options.config_namespace),
      identity_(random_identity(seed)),
      api_(loop, credentials, connections_for(options)),
      lease_api_(loop, credentials, 1),
      cluster_(
          api_, identity_, [](const std::string& text) { log_line(Log::Level::Warning, text); },
          api::kept()),
      lease_(lease_api_, config_namespace_, options.lease_name),
      plugin_caller_(loop, plugin_line),
      controller_(settings_of(options, config_namespace_, seed)),
      election_(identity_, seed),
      wake_(loop),
      lease_wake_(loop),
      shutdown_(loop),
      signals_(loop, SIGTERM, SIGINT) {
    const auto count = [this](const std::string& method, const std::string& path, int status,
                              Duration took) {
        metrics_.request_answered(method, path, status, took);
    };
    // Who lets hooks and metrics be on this machine means its addresses, too.
    if (!options.allow_local_hooks && !options.allow_local_metrics) addresses_->add_own();
    api_.addresses = addresses_;
    lease_api_.addresses = addresses_;
    api_.lead = lead();
    plugin_caller_.lead = lead();
    api_.on_answer = count;
    lease_api_.on_answer = count;
}

kube::Lead Operator::lead() {
    if (!options_.leader_elect) return {};
    return [this] { return election_.lead_left(clock_.now()); };
}

Result<void> Operator::serve() {
    auto health_server = net::HttpServer::open(
        loop_, options_.health_address,
        [this](std::string_view, std::string_view path) { return health(path); });
    if (!health_server) return std::unexpected(health_server.error());
    auto metrics_server = net::HttpServer::open(
        loop_, options_.metrics_address, [this](std::string_view, std::string_view path) {
            if (path != "/metrics") return net::Page{404, "text/plain", "try /metrics\n"};
            return net::Page{200, "text/plain; version=0.0.4; charset=utf-8",
                             metrics_.text(controller_, clock_.now())};
        });
    if (!metrics_server) return std::unexpected(metrics_server.error());
    health_server_ = std::move(*health_server);
    metrics_server_ = std::move(*metrics_server);
    return {};
}

void Operator::start() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
        if (!error) end(signal);
    });
    log_line(Log::Level::Info,
             fmt::format("sluice operator {} starts: apis {}; namespaces {}; config namespace {}",
                         identity_, fmt::join(options_.apis, ","),
                         options_.namespaces.empty()
                             ? "all"
                             : fmt::format("{}", fmt::join(options_.namespaces, ",")),
                         config_namespace_));
    if (options_.leader_elect) run_election();
    step(controller::Tick{});
}

// Whoever stopped leading hears of it before anything else.
void Operator::step(Input input) {
    const Instant now = clock_.now();
    if (options_.leader_elect && controller_.leads() != leads())
        run(controller_.step(controller::Leadership{leads(), election_.fence()}, now));
    run(controller_.step(std::move(input), now));
    if (ending_) end_when_quiet();
    give_back_memory(now);
}

// Lists and waves leave holes in the heap; when all is quiet, they go back to the kernel.
void Operator::give_back_memory(Instant now) {
    const bool quiet =
        controller_.is_synced() && controller_.is_quiet() && controller_.queue_depth() == 0;
    if (!quiet || now < next_trim_) return;
    next_trim_ = now + 60s;
    api_.rest();
    malloc_trim(0);
}

void Operator::run(Effects effects) {
    for (controller::Effect& effect : effects.list)
        std::visit([this](auto& one) { run_one(std::move(one)); }, effect);
    if (!effects.wake_at) return;
    wake_.expires_after(std::max(Duration{1}, *effects.wake_at - clock_.now()));
    wake_.async_wait([this](const boost::system::error_code& error) {
        if (!error) step(controller::Tick{});
    });
}

void Operator::run_election() {
    if (ending_) return;
    const auto request = election_.poll(clock_.now());
    if (request && std::holds_alternative<runtime::ReadLease>(*request)) {
        lease_.read([this](Result<model::Lease> answer) {
            if (!answer && answer.error().kind != ErrorKind::NotFound)
                log_line(Log::Level::Warning, "cannot read the lease: " + answer.error().message);
            election_.on_read(std::move(answer), clock_.now());
            lease_answered();
        });
    } else if (request) {
        const auto& wanted = std::get<runtime::WriteLease>(*request);
        lease_.write(wanted.lease, wanted.acquired, clock_.now(),
                     [this](Result<model::Lease> answer) {
                         if (!answer && answer.error().kind != ErrorKind::Conflict)
                             log_line(Log::Level::Warning,
                                      "cannot renew the lease: " + answer.error().message);
                         election_.on_written(std::move(answer), clock_.now());
                         lease_answered();
                     });
    }
    lease_wake_.expires_after(std::max(Duration{50}, election_.wake_at() - clock_.now()));
    lease_wake_.async_wait([this](const boost::system::error_code& error) {
        if (!error) run_election();
    });
}

void Operator::lease_answered() {
    if (releasing_) return release_lease();
    if (ending_) return;
    step(controller::Tick{});
    run_election();
}

void Operator::end(int signal) {
    log_line(Log::Level::Info, fmt::format("signal {}: finishing what is under way", signal));
    ending_ = true;
    end_by_ = clock_.now() + shutdown_patience;
    controller_.drain();
    signals_.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        exit_code_ = 1;
        loop_.stop();
    });
    end_when_quiet();
}

void Operator::end_when_quiet() {
    if (controller_.is_quiet() || clock_.now() >= end_by_) return release_and_stop();
    shutdown_.expires_after(std::max(Duration{1}, end_by_ - clock_.now()));
    shutdown_.async_wait([this](const boost::system::error_code& error) {
        if (!error) end_when_quiet();
    });
}

void Operator::release_and_stop() {
    if (std::exchange(releasing_, true)) return;
    release_lease();
}

// A renewal under way is waited for: its answer has the version that the release must name.
void Operator::release_lease() {
    if (options_.leader_elect && election_.is_busy()) return;
    const auto release = options_.leader_elect ? election_.release(clock_.now()) : std::nullopt;
    if (!release) return end_programs();
    lease_.write(release->lease, release->acquired, clock_.now(),
                 [this](const Result<model::Lease>&) { end_programs(); });
}

void Operator::end_programs() {
    plugin_caller_.end_programs([this] { loop_.stop(); });
}

net::Page Operator::health(std::string_view path) const {
    if (path == "/livez" || path == "/healthz") return {200, "text/plain", "ok\n"};
    if (path == "/readyz") return readiness();
    return {404, "text/plain", "try /livez or /readyz\n"};
}

net::Page Operator::readiness() const {
    const std::string problem = controller_.sync_problem();
    if (!problem.empty()) return {503, "text/plain", problem + "\n"};
    std::string text = "ok\n";
    for (const std::string& line : controller_.unseen())
        text += "cannot be seen: " + line + "\n";
    return {200, "text/plain", text};
}

int run_operator(const Options& options) {
    net::forbid_core_dumps();
    // What is this large is somebody's long answer: it goes back to the kernel when it was read.
    mallopt(M_MMAP_THRESHOLD, 64 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    open_log(options.log_format, options.log_level);
    asio::io_context loop{1};
    auto credentials = find_credentials(loop, options);
    if (!credentials) {
        log_line(Log::Level::Error, credentials.error().message);
        return 1;
    }
    std::random_device random;
    const std::uint64_t seed = std::uint64_t{random()} << 32 | random();
    Operator self{loop, *credentials, options, seed};
    if (const auto serving = self.serve(); !serving) {
        log_line(Log::Level::Error, serving.error().message);
        return 1;
    }
    self.start();
    loop.run();
    return self.exit_code();
}

}  // namespace sluice::operators
