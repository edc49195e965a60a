// Cuts a watch's byte stream into lines. Bytes may come in any pieces; a line is handed on only
// when it is whole, and a line longer than the bound is an error, for no object is that large.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sluice::wire {

class WatchLines {
  public:
    static constexpr std::size_t line_max = 8u << 20;

    // The lines that these bytes complete.
    Result<std::vector<std::string>> feed(std::string_view bytes);

  private:
    std::string partial_;
};

}  // namespace sluice::wire
