// The plugins that the operator starts itself: each program once, when somebody wants to talk to
// it, and again after it has ended.
//
// Promises: every reach() ends in exactly one `ready`, on the loop, never from inside it, unless
// this object is destroyed before. A program that fails is started again by whoever wants it next,
// but not sooner than its backoff says; until then the answer is an Error that says why it ended.
// One that stops answering is killed. One that is no longer declared is asked to end; one that a
// rollout named ends when nobody has asked for it for a while. All die with this object and with
// us. Must be used from the main thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/inquiry/plugin_call.hpp"
#include "probe/plugin/process.hpp"
#include "runtime/backoff.hpp"

namespace sluice::probe {

struct ProgramBounds {
    std::size_t programs_max = 32;  // at once; people declare three
    int silences_max = 3;           // calls without an answer, in a row
    Duration idle_max = 10min;      // of a program that a rollout named
    Duration steady_after = 1min;   // a run as long as that forgives earlier failures
    runtime::BackoffRange backoff{1s, 1min};
    ProcessBounds process{};
};

class PluginPrograms {
  public:
    using PluginProgram = api::PluginProgram;
    using Ready = std::function<void(Result<GrpcPeer>)>;
    using Named = api::NamedProgram;

    PluginPrograms(boost::asio::io_context& loop, PluginLog log, ProgramBounds bounds = {});
    ~PluginPrograms();
    PluginPrograms(const PluginPrograms&) = delete;
    PluginPrograms& operator=(const PluginPrograms&) = delete;

    void reach(const Named& program, Ready ready);
    // Whether a call to it brought an answer, be it an error.
    void heard(const Named& program, bool answered);
    // All that are declared now.
    void keep(const std::vector<Named>& declared);
    // Asks all to end; `done`, on the loop, when none is left.
    void end_all(std::function<void()> done);

    int pid_of(const Named& program) const;  // zero while it does not run
    std::size_t count() const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::probe
