// The dialects of all APIs that have one. Who prints and sends knows no kinds.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/verb.hpp"
#include "base/result.hpp"

namespace sluice::api {

std::span<const Dialect* const> dialects();

// The dialect that people mean by a name, or by "name.group"; null: there is none.
const Dialect* find_dialect(std::string_view kind);
// All kinds that can be named, for a sentence.
std::string kinds_text();

// Are its rollouts kept in the workload itself?
bool is_of_workload(const Dialect& dialect);

// An object of the dialect's resource. What cannot be read is an error.
Result<Steered> read_steered(const Dialect& dialect, const boost::json::object& object);

// Objects of the dialect's history; what cannot be read is left out.
void add_history(const Dialect& dialect, const std::vector<boost::json::object>& objects,
                 Steered& steered);

Reply reply(const Dialect& dialect, Verb verb, const Steered& steered, Instant now);

// What keeps this workload from being shown, as a sentence: nothing steers it, or nobody that is
// there.
std::string why_not_steered(const Workload& workload);

}  // namespace sluice::api
