// An assertion says that we, not the world and not the user, would be wrong. It stays on in
// release: a process that has lost its own invariants must not write to anybody's cluster.
#pragma once

#include <source_location>

namespace sluice {

[[noreturn]] void fail_assertion(const char* condition, std::source_location where);

}  // namespace sluice

#define SLUICE_ASSERT(condition)                                                   \
    do {                                                                           \
        if (!(condition)) [[unlikely]]                                             \
            ::sluice::fail_assertion(#condition, std::source_location::current()); \
    } while (false)
