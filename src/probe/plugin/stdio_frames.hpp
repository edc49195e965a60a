// The stream in which go-plugin hands on what a program prints: gRPC frames with StdioData in them.
#pragma once

#include <string>
#include <string_view>

#include "probe/plugin/log_lines.hpp"

namespace sluice::probe {

class StdioFrames {
  public:
    // Any piece of the stream. False: it makes no sense, and is not worth reading on.
    bool take(std::string_view bytes, LogLines& into);

  private:
    std::string held_;
};

}  // namespace sluice::probe
