// Asks plugins: finds where one listens, starts its program where it has one, and makes one gRPC
// call.
//
// Promises: every question ends in exactly one `done`, on the loop, never from inside ask(), unless
// it was cancelled or the caller destroyed; it lasts at most its timeout, the start of a program
// and the wait for a place included; whatever goes wrong on the way is an Error with a sentence,
// and an answer is `verified` only if the plugin said so. Each plugin has connections of its own: a
// slow or dead one holds up nobody else. Certificates are read anew for each question. Refuses:
// plain connections to other machines, answers longer than 64 KiB, more than 256 questions to one
// plugin at a time. Must be used from the main thread, on which it starts programs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "api/inquiry/plugin_call.hpp"
#include "kube/lead.hpp"
#include "probe/plugin/programs.hpp"

namespace sluice::probe {

struct PluginBounds {
    std::size_t in_flight_max = 16;  // to one plugin
    std::size_t waiting_max = 240;   // behind those; beyond, a question is refused at once
    std::size_t answer_bytes_max = 64 << 10;
    Duration timeout_max = 5min;
    ProgramBounds programs{};
};

class PluginCaller {
  public:
    using CallId = std::uint64_t;
    using Done = std::function<void(Result<api::PluginAnswer>)>;

    PluginCaller(boost::asio::io_context& loop, PluginLog log, PluginBounds bounds = {});
    ~PluginCaller();
    PluginCaller(const PluginCaller&) = delete;
    PluginCaller& operator=(const PluginCaller&) = delete;

    CallId ask(api::PluginCall call, Done done);
    // Ends a question without `done`. Unknown ids are ignored.
    void cancel(CallId id);
    // Questions that have no answer yet.
    std::size_t in_flight() const;

    // A call is sent only while this says that we lead. One that is under way when the lead is lost
    // is ended by whoever began it.
    kube::Lead lead;

    // Programs that are declared no longer are asked to end.
    void keep(const std::vector<api::NamedProgram>& programs);
    // Asks all programs to end; `done`, on the loop, when none is left. Some seconds at most.
    void end_programs(std::function<void()> done);
    // Zero while it does not run.
    int pid_of(const std::string& plugin, const api::PluginProgram& program) const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::probe
