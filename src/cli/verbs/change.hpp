// The verbs that change something: one look, one decision, and a write that the server takes only
// if nothing has changed since the look. A refusal changes nothing.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/verbs/find.hpp"

namespace sluice::cli {

// A merge patch with what it was decided upon: of another object, or of another version, the server
// answers 409.
boost::json::object with_preconditions(boost::json::object fields, const std::string& uid,
                                       const std::string& version);

// What was done and what happens next, as a sentence; or a sentence that says why not.
std::expected<std::string, std::string> change(Server& server, const Asked& asked,
                                               const Wanted& wanted, api::Verb verb, Instant now);

}  // namespace sluice::cli
