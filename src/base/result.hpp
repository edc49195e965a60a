// Result<T> is for a world that failed: a connection, a parse, a file. A domain that waits or
// refuses is a Verdict, wrong user input is a FieldError, and our own mistakes are assertions.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace sluice {

enum class ErrorKind {
    Unreachable,   // nothing was sent, or we cannot know: connect, DNS, TLS, reset
    Timeout,       // the deadline passed; the outcome of a write is unknown
    Refused,       // the address is one we do not talk to
    TooLarge,      // a bound on bytes, depth or count was exceeded
    Malformed,     // bytes that do not mean what they should
    Unauthorized,  // 401
    Forbidden,     // 403
    NotFound,      // 404
    Conflict,      // 409, or 422 of a failed JSON Patch test
    Gone,          // 410
    Throttled,     // 429
    Server,        // 5xx
    Invalid,       // any other 4xx: the same bytes will fail again
    Unreadable,    // a local file or program
};

struct Error {
    ErrorKind kind;
    std::string message;  // a sentence for a person; never a secret, never a response body
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(ErrorKind kind, std::string message) {
    return std::unexpected(Error{kind, std::move(message)});
}

}  // namespace sluice
