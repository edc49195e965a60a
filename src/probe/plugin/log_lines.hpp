// What a plugin prints, on its way into our log: whole lines, printable, with the plugin's name,
// not longer than a line may be and not more of them than somebody can read. What is left out is
// counted and told.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controller/effect.hpp"
#include "net/clock.hpp"
#include "runtime/token_bucket.hpp"

namespace sluice::probe {

using PluginLog = std::function<void(controller::Log::Level, const std::string& text)>;

class LogLines {
  public:
    // `subject` is what each line begins with: `plugin "queue"`.
    LogLines(std::string subject, PluginLog log);

    void take(std::string_view bytes);
    // What came last, without its line break; for the sentence about a program that ended.
    const std::string& last_line() const { return last_; }
    // Lines are being left out.
    bool is_flooded() const { return left_out_ > 0; }
    // No more bytes will come: a line without an end is one, too.
    void finish();

  private:
    void tell(std::string_view line);

    std::string subject_;
    PluginLog log_;
    net::Clock clock_;
    runtime::TokenBucket bucket_;
    std::string line_;
    std::string last_;
    std::size_t left_out_ = 0;
};

// The stream in which go-plugin hands on what a program prints: gRPC frames with StdioData in them.
class StdioFrames {
  public:
    // Any piece of the stream. False: it makes no sense, and is not worth reading on.
    bool take(std::string_view bytes, LogLines& into);

  private:
    std::string held_;
};

}  // namespace sluice::probe
