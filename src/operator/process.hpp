// The process: ties the controller to the world, runs its effects and feeds it what comes back. One
// thread. Only operator.cpp and effects.cpp include this.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <string>

#include "controller/controller.hpp"
#include "kube/cluster.hpp"
#include "net/clock.hpp"
#include "net/http_server.hpp"
#include "operator/metrics.hpp"
#include "operator/options.hpp"
#include "probe/inquirer.hpp"
#include "runtime/election.hpp"

namespace sluice::operators {

class Operator {
  public:
    Operator(boost::asio::io_context& loop, const std::shared_ptr<kube::Credentials>& credentials,
             const Options& options, std::uint64_t seed);

    Result<void> serve();
    void start();
    int exit_code() const { return exit_code_; }

  private:
    // Who asks one kind of questions.
    struct Asker {
        const api::Inquiries* row;
        std::unique_ptr<probe::Inquirer> inquirer;
    };
    std::vector<Asker> make_askers();

    void step(controller::Input input);
    void give_back_memory(Instant now);
    void run(controller::Effects effects);
    // A request to the API server, whose answer is an input.
    template <class Effect>
    void send(const Effect& effect) {
        cluster_.run(effect, [this](controller::Input input) { step(std::move(input)); });
    }
    void run_one(controller::StartList&& effect) { send(effect); }
    void run_one(controller::StartWatch&& effect);
    void run_one(controller::StopWatch&& effect);
    void run_one(controller::ReadWorkload&& effect) { send(effect); }
    void run_one(controller::Write&& effect) { send(effect); }
    void run_one(controller::Ask&& effect);
    void run_one(controller::CancelQuestion&& effect);
    void run_one(controller::PostEvent&& effect) { cluster_.run(effect); }
    void run_one(controller::SettingsTaken&& effect);
    void run_one(controller::CheckPolicies&& effect);
    void learn_server_addresses();
    void run_one(controller::RolloutEnded&& effect);
    void run_one(controller::Log&& effect);

    // The last look at the clock before a write or a call of a plugin leaves: a process that was
    // asleep may have lost the lead since the decision was made.
    kube::Lead lead();
    bool leads() const { return !options_.leader_elect || election_.leads(clock_.now()); }
    void run_election();
    void lease_answered();
    void end(int signal);
    void end_when_quiet();
    void release_and_stop();
    void release_lease();
    void end_programs();
    net::Page health(std::string_view path) const;
    net::Page readiness() const;

    boost::asio::io_context& loop_;
    Options options_;
    const std::vector<kube::WantedPolicy> policies_;
    std::string config_namespace_;
    std::string identity_;
    net::Clock clock_;
    const std::shared_ptr<net::KnownAddresses> addresses_ = std::make_shared<net::KnownAddresses>();
    kube::ApiClient api_;
    kube::ApiClient lease_api_;
    kube::Cluster cluster_;
    kube::LeaseKeeper lease_;
    probe::PluginCaller plugin_caller_;
    controller::Controller controller_;
    runtime::Election election_;
    Metrics metrics_;
    std::unique_ptr<net::HttpServer> health_server_;
    std::unique_ptr<net::HttpServer> metrics_server_;
    std::map<controller::SessionId, net::TransferId> watches_;
    const std::vector<Asker> askers_ = make_askers();
    std::map<controller::Ticket, std::pair<const Asker*, probe::Inquirer::CallId>> asking_;
    boost::asio::steady_timer wake_;
    boost::asio::steady_timer lease_wake_;
    boost::asio::steady_timer shutdown_;
    boost::asio::signal_set signals_;
    Instant end_by_;
    Instant next_trim_;
    bool ending_ = false;
    bool releasing_ = false;
    int exit_code_ = 0;
};

}  // namespace sluice::operators
