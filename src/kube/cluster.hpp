// Carries the controller's effects to an API server, and its answers back. What they say is read
// and written by src/wire; this only sends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/effect.hpp"
#include "controller/input.hpp"
#include "kube/api_client.hpp"
#include "kube/policies.hpp"
#include "model/lease.hpp"
#include "wire/call.hpp"

namespace sluice::kube {

template <class T>
using Answer = controller::Answer<T>;

class Cluster {
  public:
    using Step = std::function<void(controller::Input)>;

    // Events are told in the name of `identity`. `warn` hears about objects that could not be read
    // and were left out, and about events that were lost.
    Cluster(ApiClient& client, std::string identity, std::function<void(std::string)> warn,
            model::Kept kept = {});
    ~Cluster();

    // What comes of it is handed to `step`, once; of an event: nothing.
    template <class Effect>
    void run(const Effect& effect, const Step& step = {}) {
        go_on(caller().begin(effect), step);
    }
    // Hands on events, and at last WatchEnded or SessionFailed.
    net::TransferId watch(const controller::StartWatch& effect, const Step& step);
    void cancel(net::TransferId id);

    // Which of these are missing, or are not as they should be, for a person; one that could not be
    // looked at makes an error of it all.
    void check_policies(std::vector<WantedPolicy> wanted,
                        std::function<void(Answer<std::vector<std::string>>)> done);

  private:
    struct State;
    wire::Caller& caller();
    void go_on(wire::Next next, const Step& step);

    std::shared_ptr<State> state_;
};

// The lease, on a connection of its own.
class LeaseKeeper {
  public:
    LeaseKeeper(ApiClient& client, std::string ns, std::string name);
    void read(std::function<void(Result<model::Lease>)> done);
    void write(const model::Lease& lease, Instant acquired, Instant now,
               std::function<void(Result<model::Lease>)> done);

  private:
    ApiClient& client_;
    model::ObjectKey key_;
};

}  // namespace sluice::kube
