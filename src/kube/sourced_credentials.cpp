#include "kube/sourced_credentials.hpp"

#include <fmt/format.h>

#include <utility>

#include "net/clock.hpp"

namespace sluice::kube {
namespace {

constexpr Duration look_interval = 1s;
// A token that ends while its request is under way would come back as a 401.
constexpr Duration expiry_margin = 10s;

bool is_expired(const Material& material, Instant now) {
    return material.client_cert_expiry && *material.client_cert_expiry <= now;
}

Error expiry_of(const Material& material) {
    return {ErrorKind::Invalid,
            fmt::format("{} expired at {}; renew it", material.client_cert_where,
                        to_rfc3339(material.client_cert_expiry.value_or(Instant{})))};
}

}  // namespace

SourcedCredentials::SourcedCredentials(boost::asio::io_context& loop, Gather gather,
                                       WallClock clock, Material material, FileReader files)
    : loop_(loop),
      gather_(std::move(gather)),
      clock_(std::move(clock)),
      material_(std::move(material)),
      files_(std::move(files)),
      looked_at_(clock_()) {
    renew_access();
}

Result<std::shared_ptr<Credentials>> SourcedCredentials::open(boost::asio::io_context& loop,
                                                              Gather gather, WallClock clock) {
    FileReader files;
    Result<Material> material = gather(files);
    if (!material) return std::unexpected(material.error());
    if (is_expired(*material, clock())) return std::unexpected(expiry_of(*material));
    return std::make_shared<SourcedCredentials>(loop, std::move(gather), std::move(clock),
                                                *std::move(material), std::move(files));
}

void SourcedCredentials::access(Got got) {
    const Instant now = clock_();
    if (is_look_due(now)) look(now);
    if (fault_) return got(std::unexpected(*fault_));
    if (!material_.exec || has_fresh_credential(now)) return got(access_);
    waiting_.push_back(std::move(got));
    if (waiting_.size() == 1) run(*material_.exec);
}

void SourcedCredentials::refused() {
    is_refused_ = true;
    credential_.reset();
}

std::string SourcedCredentials::default_namespace() const {
    return material_.ns.empty() ? "default" : material_.ns;
}

// A wall clock that was set back must not keep us from looking.
bool SourcedCredentials::is_look_due(Instant now) const {
    return (is_refused_ && !fault_) || now < looked_at_ || now - looked_at_ >= look_interval;
}

bool SourcedCredentials::has_fresh_credential(Instant now) const {
    return credential_ && (!credential_->expires || now < *credential_->expires - expiry_margin);
}

void SourcedCredentials::look(Instant now) {
    looked_at_ = now;
    const bool must_read = is_refused_ || is_expired(material_, now);
    if (!must_read && files_.is_unchanged()) return;
    FileReader files;
    Result<Material> material = gather_anew(files, now);
    if (material) {
        adopt(*std::move(material), std::move(files));
    } else if (must_read) {
        fault_ = material.error();
    }
}

Result<Material> SourcedCredentials::gather_anew(FileReader& files, Instant now) {
    Result<Material> material = gather_(files);
    if (!material) return material;
    if (material->server != material_.server)
        return failure(ErrorKind::Invalid,
                       fmt::format("{} changed from {} to {} meanwhile; restart to use it",
                                   material->server_where, material_.server, material->server));
    if (is_expired(*material, now)) return std::unexpected(expiry_of(*material));
    return material;
}

void SourcedCredentials::adopt(Material material, FileReader files) {
    const bool same_plugin = material_.exec && material.exec &&
                             is_same(*material_.exec, *material.exec) &&
                             material_.exec_info == material.exec_info;
    if (!same_plugin) {
        credential_.reset();
        ++run_;
    }
    material_ = std::move(material);
    files_ = std::move(files);
    is_refused_ = false;
    fault_.reset();
    renew_access();
}

// The Tls stays the same object while it says the same, so that connections are used again.
void SourcedCredentials::renew_access() {
    net::Tls tls = material_.tls;
    access_.server = material_.server;
    access_.proxy = material_.proxy;
    access_.authorization = material_.authorization;
    if (credential_) {
        tls.client_cert_pem = credential_->client_cert_pem;
        tls.client_key_pem = credential_->client_key_pem;
        access_.authorization = credential_->authorization;
    }
    if (!access_.tls || !is_same(*access_.tls, tls))
        access_.tls = std::make_shared<const net::Tls>(std::move(tls));
}

void SourcedCredentials::run(const ExecPlugin& plugin) {
    auto ended = [weak = weak_from_this(), run = run_](Result<net::ProgramOutput> output) {
        if (const auto self = weak.lock()) self->plugin_ended(run, std::move(output));
    };
    net::run_program(loop_, plugin_program(plugin, material_.exec_info), std::move(ended));
}

void SourcedCredentials::plugin_ended(std::uint64_t run_number, Result<net::ProgramOutput> output) {
    if (!material_.exec) return answer_waiting(access_);
    const ExecPlugin& plugin = *material_.exec;
    if (run_number != run_) return run(plugin);
    Result<ExecCredential> credential = plugin_credential(plugin, std::move(output));
    if (!credential) return answer_waiting(std::unexpected(credential.error()));
    credential_ = *std::move(credential);
    renew_access();
    answer_waiting(access_);
}

void SourcedCredentials::answer_waiting(const Result<Access>& answer) {
    for (const Got& got : std::exchange(waiting_, {}))
        got(answer);
}

Result<std::shared_ptr<Credentials>> from_kubeconfig(boost::asio::io_context& loop,
                                                     const std::vector<std::string>& paths,
                                                     const std::string& context) {
    return SourcedCredentials::open(loop, gather_from_kubeconfig(paths, context), net::wall_time);
}

Result<std::shared_ptr<Credentials>> from_service_account(boost::asio::io_context& loop,
                                                          const std::string& directory,
                                                          const std::string& host,
                                                          const std::string& port) {
    return SourcedCredentials::open(loop, gather_from_service_account(directory, host, port),
                                    net::wall_time);
}

}  // namespace sluice::kube
