#include "cli/cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/rand.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <optional>

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "cli/kubeconfig_out.hpp"
#include "cli/serving.hpp"
#include "net/child.hpp"
#include "net/https_server.hpp"
#include "net/self_signed.hpp"
#include "sim/actors/cluster.hpp"
#include "sim/actors/definitions.hpp"

namespace sluice::cli {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr Duration operator_patience = 15s;  // it waits 10 s for its writes to end
constexpr Duration client_patience = 1s;     // replies that are under way
const std::string operator_user = "system:serviceaccount:sluice-system:sluice";

Redacted random_token() {
    unsigned char bytes[24];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return {};
    return Redacted{fmt::format("{:02x}", fmt::join(bytes, ""))};
}

// Where clients on this machine reach what listens at `address`.
std::string host_of(const std::string& address) {
    std::string host = address.substr(0, address.rfind(':'));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    error_code failed;
    const auto parsed = asio::ip::make_address(host, failed);
    return failed || parsed.is_unspecified() ? "127.0.0.1" : parsed.to_string();
}

std::string names_for(const std::string& host) {
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
    if (host != "127.0.0.1" && host != "::1") names += ",IP:" + host;
    return names;
}

std::string url_of(const std::string& host, std::uint16_t port) {
    const bool is_v6 = host.find(':') != host.npos;
    return fmt::format("https://{}:{}", is_v6 ? "[" + host + "]" : host, port);
}

std::vector<std::string> operator_words(const std::string& kubeconfig) {
    return {"/proc/self/exe",    "operator",        "--kubeconfig",        kubeconfig,
            "--context",         "sluice-operator", "--health-address",    "127.0.0.1:0",
            "--metrics-address", "127.0.0.1:0",     "--allow-local-hooks", "--allow-local-metrics"};
}

std::string greeting(const std::string& url, const std::string& kubeconfig, bool has_operator) {
    std::string text = fmt::format(
        "A Kubernetes cluster runs in this process, at {}\n\n"
        "  export KUBECONFIG={}\n\n"
        "Try:\n\n"
        "  kubectl get nodes\n"
        "  kubectl apply -f your-statefulset.yaml\n"
        "  kubectl get pods --watch\n\n",
        url, kubeconfig);
    if (has_operator) {
        text +=
            "The operator steers it; its log comes on stderr. Declare its hooks in\n"
            "ConfigMap sluice-hooks of namespace sluice-system.\n\n";
    } else {
        text += fmt::format(
            "To steer its rollouts, in another shell:\n\n"
            "  sluice operator --kubeconfig {} --context sluice-operator \\\n"
            "    --allow-local-hooks --allow-local-metrics \\\n"
            "    --health-address 127.0.0.1:0 --metrics-address 127.0.0.1:0\n\n",
            kubeconfig);
    }
    return text +
           "Its pods have no containers: they start, become ready and end, but run nothing.\n"
           "Ctrl-C ends it, and everything in it is forgotten.\n";
}

// Everything that runs, and how it ends: first the operator, while the API still answers, then the
// clients.
class Running {
  public:
    Running(asio::io_context& loop, const ClusterCommand& command, Redacted admin,
            Redacted of_operator)
        : loop_(loop),
          cluster_({.seed = command.seed, .start = net::Clock{}.now(), .tracks_fields = true}),
          admin_token_(std::move(admin)),
          operator_token_(std::move(of_operator)),
          serving_(loop, cluster_, command.speed,
                   {{std::string{admin_token_.reveal()}, sim::admin},
                    {std::string{operator_token_.reveal()}, operator_user}}),
          signals_(loop, SIGINT, SIGTERM),
          patience_(loop) {
        sim::install_definitions(cluster_);
    }

    Result<void> open(const ClusterCommand& command);
    Result<void> start_operator(std::ostream& err);
    void run();
    const std::string& url() const { return url_; }
    const std::string& kubeconfig() const {
        SLUICE_ASSERT(file_.has_value());
        return file_->path();
    }
    int exit_code() const { return exit_code_; }

  private:
    void end();
    void end_clients();

    asio::io_context& loop_;
    sim::Cluster cluster_;
    Redacted admin_token_;
    Redacted operator_token_;
    Serving serving_;
    asio::signal_set signals_;
    asio::steady_timer patience_;
    std::optional<KubeconfigFile> file_;
    std::unique_ptr<net::Child> operator_;
    std::unique_ptr<net::HttpsServer> server_;
    std::string url_;
    bool is_ending_ = false;
    int exit_code_ = 0;
};

Result<void> Running::open(const ClusterCommand& command) {
    const std::string host = host_of(command.listen);
    auto certificate = net::make_self_signed("sluice cluster", names_for(host));
    if (!certificate) return std::unexpected(certificate.error());
    auto server = net::HttpsServer::open(
        loop_, {command.listen,
                {certificate->cert_pem, certificate->key_pem},
                [this](net::HttpsRequest request, const std::shared_ptr<net::HttpsAnswer>& answer) {
                    serving_.answer(std::move(request), answer);
                },
                Serving::refuse});
    if (!server) return std::unexpected(server.error());
    server_ = std::move(*server);
    url_ = url_of(host, server_->port());
    auto file = KubeconfigFile::write(
        command.kubeconfig_out,
        kubeconfig_text({url_, certificate->ca_pem, admin_token_, operator_token_}));
    if (!file) return std::unexpected(file.error());
    file_.emplace(std::move(*file));
    return {};
}

Result<void> Running::start_operator(std::ostream& err) {
    auto child = net::Child::start(
        loop_, {.argv = operator_words(kubeconfig())}, [this, &err](int exit_code) {
            if (!is_ending_) {
                err << fmt::format("sluice: the operator ended with exit code {}\n", exit_code);
                exit_code_ = 1;
                is_ending_ = true;
            }
            end_clients();
        });
    if (!child) return std::unexpected(child.error());
    operator_ = std::move(*child);
    return {};
}

void Running::run() {
    signals_.async_wait([this](const error_code& failed, int) {
        if (!failed) end();
    });
    serving_.advance();
    loop_.run();
}

void Running::end() {
    is_ending_ = true;
    if (!operator_) return end_clients();
    operator_->terminate();
    patience_.expires_after(operator_patience);
    patience_.async_wait([this](const error_code& cancelled) {
        if (!cancelled) end_clients();
    });
}

void Running::end_clients() {
    server_->finish([this] { loop_.stop(); });
    patience_.expires_after(client_patience);
    patience_.async_wait([this](const error_code& cancelled) {
        if (!cancelled) loop_.stop();
    });
}

}  // namespace

int run_cluster(const ClusterCommand& command, std::ostream& out, std::ostream& err) {
    // Whoever read our output may leave before us; the kubeconfig is to be removed all the same.
    ::signal(SIGPIPE, SIG_IGN);
    const auto complain = [&err](const Error& error) {
        err << "sluice: " << error.message << '\n';
        return 1;
    };
    Redacted admin = random_token();
    Redacted of_operator = random_token();
    if (admin.empty() || of_operator.empty())
        return complain({ErrorKind::Unreadable, "OpenSSL has no random bytes"});
    asio::io_context loop{1};
    Running running(loop, command, std::move(admin), std::move(of_operator));
    if (auto opened = running.open(command); !opened) return complain(opened.error());
    if (command.with_operator) {
        if (auto started = running.start_operator(err); !started) return complain(started.error());
    }
    out << greeting(running.url(), running.kubeconfig(), command.with_operator) << std::flush;
    running.run();
    return running.exit_code();
}

}  // namespace sluice::cli
