// How something that is steered stands, in the forms that get and explain share.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/verbs/find.hpp"
#include "cli/verbs/text.hpp"

namespace sluice::cli {

Ink ink_of(api::Mood mood);

// For programs: what is not known is left out.
boost::json::object standing_json(const Found& found);

// JSON with a field a line, as kubectl prints it.
std::string pretty(const boost::json::value& value);

}  // namespace sluice::cli
