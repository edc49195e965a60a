// Spec and status of an object, as JSON, in less memory than the texts themselves: most of them
// rest for weeks, and much of JSON is names that are repeated.
//
// Promises: what is unpacked is what was packed, byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::runtime {

class PackedTexts {
  public:
    PackedTexts() = default;
    PackedTexts(std::string_view spec, std::string_view status);

    struct Texts {
        std::string spec;
        std::string status;
    };
    Texts unpacked() const;
    // Of the texts.
    std::size_t bytes() const { return bytes_; }

  private:
    std::string packed_;  // deflated, unless that is no shorter
    std::size_t bytes_ = 0;
    std::size_t spec_bytes_ = 0;
};

}  // namespace sluice::runtime
