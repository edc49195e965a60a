#include "cli/verbs/text.hpp"

#include "base/printable.hpp"

namespace sluice::cli {
namespace {

// A message of ours has at most 1024 bytes.
constexpr std::size_t text_bytes_max = 2048;

}  // namespace

std::string safe(std::string_view text) {
    return printable(text, text_bytes_max);
}

}  // namespace sluice::cli
