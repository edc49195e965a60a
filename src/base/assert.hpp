// An assertion says that we, not the world and not the user, would be wrong. It stays on in
// release: a process that has lost its own invariants must not write to anybody's cluster.
//
// It ends the process, unless what fails only thinks: a decision that cannot be made changes
// nothing, so whoever asked for it may live on without it.
#pragma once

#include <source_location>
#include <stdexcept>

namespace sluice {

[[noreturn]] void fail_assertion(const char* condition, std::source_location where);

// what() is the condition and the place.
class AssertionFailed : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

// While one lives, assertions of its thread throw AssertionFailed. Only for code that changes
// nothing but what it returns.
class AssertionsThrow {
  public:
    AssertionsThrow();
    ~AssertionsThrow();
    AssertionsThrow(const AssertionsThrow&) = delete;
    AssertionsThrow& operator=(const AssertionsThrow&) = delete;
};

}  // namespace sluice

#define SLUICE_ASSERT(condition)                                                   \
    do {                                                                           \
        if (!(condition)) [[unlikely]]                                             \
            ::sluice::fail_assertion(#condition, std::source_location::current()); \
    } while (false)
