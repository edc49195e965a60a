// A plugin that steers no Kubernetes workload at all: a traffic split in a file, for a proxy that
// reads it. It listens by itself, on a unix socket or a port, and Sluice calls it there.
//
// Every answer comes from the file, so that the plugin may be killed and started at any time. The
// proxy reads its file now and then; a change counts as done a moment after it was written.
#include <grpcpp/grpcpp.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include "sluice_plugin.grpc.pb.h"
#include "split.hpp"

namespace {

namespace v1 = sluice::plugin::v1;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

constexpr int all = 100;  // of the traffic, in percent: what a replica is here

struct Options {
    std::string listen = "unix:///tmp/weights-file.sock";
    std::string folder = ".";
    int settle_ms = 2000;
    std::string cert{};
    std::string key{};
    std::string client_ca{};
};

Status failed(const std::string& why) {
    return {StatusCode::FAILED_PRECONDITION, why};
}

// Sluice names the version that it means: a canary that came in between is not moved.
bool is_another(const Split& split, const std::string& revision) {
    return !revision.empty() && revision != (split.canary ? split.canary->version : split.stable);
}

Status another_revision() {
    return failed("the canary is another version by now");
}

class WeightsFile final : public v1::ResourcePlugin::Service {
  public:
    explicit WeightsFile(const Options& options)
        : folder_(options.folder), settle_(options.settle_ms) {}

    Status Init(ServerContext*, const v1::InitRequest* request, v1::InitResponse*) override {
        return with_split(request->workload(),
                          [](const std::string&, const Split&) { return Status::OK; });
    }

    Status GetResourceStatus(ServerContext*, const v1::GetResourceStatusRequest* request,
                             v1::ResourceStatus* answer) override {
        return with_split(request->workload(), [&](const std::string&, const Split& split) {
            answer->set_replicas(all);
            answer->set_ready_replicas(all);
            answer->set_available_replicas(all);
            answer->set_updated_replicas(split.canary ? split.canary->percent : all);
            answer->set_current_revision(split.stable);
            answer->set_updated_revision(split.canary ? split.canary->version : split.stable);
            answer->set_ready(true);
            return Status::OK;
        });
    }

    Status SetWeight(ServerContext*, const v1::SetWeightRequest* request,
                     v1::SetWeightResponse*) override {
        return with_split(request->workload(), [&](const std::string&, const Split& split) {
            if (is_another(split, request->revision())) return another_revision();
            return set_percent(request->workload(), request->weight());
        });
    }

    Status VerifyWeight(ServerContext*, const v1::VerifyWeightRequest* request,
                        v1::VerifyWeightResponse* answer) override {
        return with_split(request->workload(), [&](const std::string& path, const Split& split) {
            if (is_another(split, request->revision())) return another_revision();
            const int percent = split.canary ? split.canary->percent : all;
            const bool is_read = age_of(path) >= settle_;
            answer->set_verified(percent == request->weight() && is_read);
            if (percent != request->weight()) {
                answer->set_message("the file says " + std::to_string(percent) + " percent");
            } else if (!is_read) {
                answer->set_message("the proxy has not read its file yet");
            }
            return Status::OK;
        });
    }

    // The canary becomes the stable version. Without one, that has happened already.
    Status Promote(ServerContext*, const v1::PromoteRequest* request,
                   v1::PromoteResponse*) override {
        return with_split(request->workload(), [&](const std::string& path, const Split& split) {
            if (is_another(split, request->revision())) return another_revision();
            if (!split.canary) return Status::OK;
            const auto written = write_split(path, {split.canary->version, std::nullopt});
            return written ? Status::OK : failed(written.error());
        });
    }

    Status Abort(ServerContext*, const v1::AbortRequest* request, v1::AbortResponse*) override {
        return set_percent(request->workload(), 0);
    }

    Status Restart(ServerContext*, const v1::RestartRequest* request,
                   v1::RestartResponse*) override {
        return set_percent(request->workload(), 0);
    }

  private:
    using Use = std::function<Status(const std::string& path, const Split& split)>;

    // The name of the workload is the name of the file. It comes from others, so it must not lead
    // anywhere else.
    Status with_split(const v1::WorkloadRef& workload, const Use& use) const {
        if (workload.kind() != "TrafficSplit") {
            return {StatusCode::INVALID_ARGUMENT, "this plugin steers a TrafficSplit"};
        }
        if (workload.name().empty() || workload.name().starts_with('.') ||
            workload.name().find('/') != std::string::npos) {
            return {StatusCode::INVALID_ARGUMENT, "the name cannot be that of a file"};
        }
        const std::string path = folder_ + "/" + workload.name();
        const auto split = read_split(path);
        if (!split) return {StatusCode::NOT_FOUND, split.error()};
        return use(path, *split);
    }

    Status set_percent(const v1::WorkloadRef& workload, int percent) const {
        if (percent < 0 || percent > all) {
            return {StatusCode::INVALID_ARGUMENT, "a weight is a number from 0 to 100"};
        }
        return with_split(workload, [&](const std::string& path, Split split) {
            if (!split.canary) return Status::OK;  // nothing is on its way
            split.canary->percent = percent;
            const auto written = write_split(path, split);
            return written ? Status::OK : failed(written.error());
        });
    }

    std::string folder_;
    std::chrono::milliseconds settle_;
};

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::shared_ptr<grpc::ServerCredentials> credentials(const Options& options) {
    if (options.cert.empty()) return grpc::InsecureServerCredentials();
    const auto ask = options.client_ca.empty()
                         ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                         : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
    grpc::SslServerCredentialsOptions tls(ask);
    tls.pem_key_cert_pairs.push_back({text_of(options.key), text_of(options.cert)});
    if (!options.client_ca.empty()) tls.pem_root_certs = text_of(options.client_ca);
    return grpc::SslServerCredentials(tls);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Steers a traffic split in a file."};
    app.add_option("--listen", options.listen, "unix:///path or host:port (0: any port)");
    app.add_option("--folder", options.folder, "where the files are");
    app.add_option("--settle-ms", options.settle_ms, "how long the proxy takes to read its file");
    app.add_option("--cert", options.cert, "certificate, PEM; then TLS is spoken");
    app.add_option("--key", options.key, "its key, PEM");
    app.add_option("--client-ca", options.client_ca, "only clients of this authority may call");
    CLI11_PARSE(app, argc, argv);

    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before gRPC starts its threads

    WeightsFile service(options);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(options.listen, credentials(options), &port);
    builder.RegisterService(&service);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server || port == 0) {
        std::cerr << "weights-file: cannot listen on " << options.listen << "\n";
        return 1;
    }
    std::cout << "listening on " << options.listen << ", port " << port << std::endl;
    int got = 0;
    sigwait(&ends, &got);
    server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
    return 0;
}
