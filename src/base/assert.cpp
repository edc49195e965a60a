#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace sluice {

void fail_assertion(const char* condition, std::source_location where) {
    std::fprintf(stderr, "sluice: assertion failed: %s (%s:%u)\n", condition, where.file_name(),
                 static_cast<unsigned>(where.line()));
    std::abort();
}

}  // namespace sluice
