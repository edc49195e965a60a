// An inquiry asks the world one thing after another until it knows what it wanted to know. It is a
// pure function of what has been learnt so far: it says what to learn next, or ends with its
// outcome. The probe layer below the line does the asking. Secrets are named, never fetched here,
// and only those of the namespace that the inquiry is made for.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::api {

using SecretData = std::map<std::string, Redacted>;
struct Secret {
    SecretData data;
    std::map<std::string, std::string> annotations;  // those of ours only
};

// What the inquiry wants to know next.
struct NeedSecret {
    std::string name;  // in the namespace of the inquiry; it cannot name another one
};
struct AskHeader {
    std::string name;
    Redacted value;
};
struct Ask {
    std::string method;
    std::string url;
    std::vector<AskHeader> headers;
    std::string body;
    Duration timeout = 10s;
    std::string ca_pem;                // empty: system trust store
    std::size_t body_max = 64u << 10;  // of the answer; a longer one is an Error
    bool verify = true;                // false: any certificate will do
};
template <class Outcome>
using Step = std::variant<NeedSecret, Ask, Outcome>;

struct Answer {
    int status = 0;
    std::string content_type;
    std::string body;
};
// What has been learnt so far, in the order it was asked for.
struct Learnt {
    std::map<std::string, Result<Secret>> secrets;
    std::vector<Result<Answer>> answers;
};

}  // namespace sluice::api
