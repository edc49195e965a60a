// One run of a plugin's program: its file checked, the program started, its handshake read, what it
// prints told to our log, and its end.
//
// Promises: exactly one `ended`, on the loop, unless this object is destroyed before; at most one
// `ready`, before it. When this object goes away the program is killed, with all that it started;
// it dies with us, too. Its socket lies in a folder that nobody else may enter, and which is
// removed with it. Must be used from the main thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "api/inquiry/plugin_call.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "probe/plugin/grpc.hpp"
#include "probe/plugin/log_lines.hpp"

namespace sluice::probe {

struct ProcessBounds {
    Duration handshake = 30s;                // a large program on a busy node
    std::size_t handshake_bytes_max = 4096;  // of all that it prints before
    Duration shutdown = 2s;                  // to end by itself when it is asked to
    Duration termination = 3s;               // to end after SIGTERM
};

class PluginProcess {
  public:
    struct Events {
        std::function<void(GrpcPeer)> ready;
        std::function<void(Error why)> ended;  // a sentence about the plugin
    };

    // `subject` is what the sentences speak of: `plugin "queue"`.
    PluginProcess(boost::asio::io_context& loop, std::string subject, api::PluginProgram program,
                  const PluginLog& log, ProcessBounds bounds, Events events);
    ~PluginProcess();
    PluginProcess(const PluginProcess&) = delete;
    PluginProcess& operator=(const PluginProcess&) = delete;

    // Asks it to end; first by a call, then by SIGTERM, then it is killed.
    void end();
    // Kills it, for this reason.
    void kill(Error why);
    int pid() const;  // zero while there is none

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::probe
