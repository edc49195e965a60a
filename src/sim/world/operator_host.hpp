// A process that runs production's Controller in a simulated cluster: its effects become requests,
// the answers its inputs, with the latency, the losses and the deaths of the real thing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/controller.hpp"
#include "runtime/election.hpp"
#include "sim/actors/cluster.hpp"
#include "sim/apis/egress.hpp"
#include "sim/world/faults.hpp"
#include "wire/call.hpp"

namespace sluice::sim {

struct HostOptions {
    controller::Settings settings = {};
    bool leader_elect = false;
    Duration skew{0};             // how far the operator's clock is ahead of the cluster's
    Duration restart_after = 3s;  // how long a crashed process is gone
    std::string identity = "operator-0";
    std::uint64_t seed = 1;
};

// What an observer may want to know of a process; each is called before the thing happens.
struct HostWitness {
    std::function<void(const std::string& identity, const engine::Action& action)> writes =
        [](const auto&, const auto&) {};
    std::function<void(const std::string& identity, const model::ObjectKey& key)> reads =
        [](const auto&, const auto&) {};
    std::function<void(const std::string& identity, const controller::Log& line)> logs =
        [](const auto&, const auto&) {};
    std::function<void(const std::string& identity)> starts = [](const auto&) {};
};

class OperatorHost {
  public:
    OperatorHost(Cluster& cluster, Egress& egress, Faults& faults, HostOptions options,
                 HostWitness witness = {});
    OperatorHost(const OperatorHost&) = delete;
    OperatorHost& operator=(const OperatorHost&) = delete;

    void start();
    // Dies at once, remembering nothing; comes back after a while if `restarts`.
    void crash(bool restarts = true);
    // A process that is stopped and goes on (SIGSTOP): everything that came meanwhile comes late.
    void pause(Duration length);
    bool is_running() const { return controller_ != nullptr; }
    bool leads() const;
    const controller::Controller& controller() const { return *controller_; }
    const HostOptions& options() const { return options_; }

  private:
    struct Stream {
        Watch watch;
        const model::Resource* resource;
        std::shared_ptr<wire::WatchReader> reader;
        bool pump_is_due = false;
    };

    Instant clock() const { return cluster_.now() + options_.skew; }
    Duration latency() { return cluster_.dice().between(1ms, 15ms); }
    // Runs in this life of the process, and not while it is stopped.
    void later(Duration delay, std::function<void()> what);
    void step(controller::Input input);
    void set_alarm(Instant at);
    void run_one(controller::StartList&& effect);
    void run_one(controller::StartWatch&& effect);
    void run_one(controller::StopWatch&& effect);
    void run_one(controller::ReadWorkload&& effect);
    void run_one(controller::Write&& effect);
    void run_one(controller::Ask&& effect);
    void run_one(controller::CancelQuestion&& effect);
    void run_one(controller::PostEvent&& effect);
    void run_one(controller::SettingsTaken&&) {}
    void run_one(controller::CheckPolicies&& effect);
    void run_one(controller::RolloutEnded&&) {}
    void run_one(controller::Log&& effect);

    // One exchange: `carry_out` reaches the world, `answer` comes back; the faults may spoil
    // either. `overtake` is what somebody else may do right before it arrives.
    void exchange(Access access, std::function<void()> carry_out, std::function<void()> answer,
                  std::function<void(runtime::RequestFailure)> fail,
                  std::function<void()> overtake = {});
    // Somebody changes the spec of a set, in a way that no pod feels.
    void change_spec(const model::ObjectKey& key);
    // A request in the operator's name, as it is carried out at the server.
    Response serve(const wire::Request& request);
    wire::Answer answer(const wire::Request& request);
    // Carries out what production would send, up to the input that comes of it. Reads that belong
    // together are one exchange: whichever of them fails, all have failed.
    void run(Access access, wire::Next begun, std::function<void()> before,
             std::function<void()> overtake = {});
    void take(wire::Next next);
    void ask(const controller::Ask& effect, Access access, const api::Inquiry& inquiry);
    wire::Answer spoiled(const runtime::WatchScope& scope, wire::Answer answer) const;
    void begin_watch(controller::SessionId session, const model::Resource& resource,
                     const Response& begun);
    void end_watch(controller::SessionId session);
    void pump(controller::SessionId session);
    void deliver(controller::SessionId session, std::vector<model::WatchEvent> events);
    static std::vector<model::WatchEvent> decoded(Stream& stream,
                                                  const std::vector<WatchedEvent>& events);
    void on_change(const Change& change);
    void run_election();

    Cluster& cluster_;
    Egress& egress_;
    Faults& faults_;
    HostOptions options_;
    HostWitness witness_;
    std::unique_ptr<controller::Controller> controller_;
    std::unique_ptr<runtime::Election> election_;
    wire::Caller caller_;
    std::map<controller::SessionId, Stream> streams_;
    std::map<controller::Ticket, bool> asking_;  // questions of any kind
    std::uint64_t life_ = 0;  // counts processes: what an earlier one began does not reach this one
    std::uint64_t alarm_ = 0;  // counts alarms: only the last one rings
    Instant stopped_until_;
    bool is_stepping_ = false;
};

}  // namespace sluice::sim
