#include "base/hash.hpp"

#include <fmt/format.h>

namespace sluice {

std::string hex_digest(std::string_view bytes) {
    return fmt::format("{:016x}", fnv1a(bytes));
}

}  // namespace sluice
