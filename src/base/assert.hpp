// An assertion says that we, not the world and not the user, would be wrong. It stays on in
// release: a process that has lost its own invariants must not write to anybody's cluster.
//
// One that fails ends the process: it throws what nobody catches. But for one place, which asks for
// a decision: deciding changes nothing, so whoever asked for it may live on without it.
#pragma once

#include <source_location>
#include <stdexcept>

namespace sluice {

// what() is the condition and the place, which is also what the process leaves behind on stderr.
class AssertionFailed : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void fail_assertion(const char* condition, std::source_location where);

}  // namespace sluice

#define SLUICE_ASSERT(condition)                                                   \
    do {                                                                           \
        if (!(condition)) [[unlikely]]                                             \
            ::sluice::fail_assertion(#condition, std::source_location::current()); \
    } while (false)
