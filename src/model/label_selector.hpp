// A LabelSelector (matchLabels, matchExpressions) as the text of a query, "app=web,tier in (a,b)",
// and what it finds.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <string>

namespace sluice::model {

// Nothing if a part of it cannot be read: a selector that lost a term would select too much.
std::optional<std::string> selector_text(const boost::json::object& selector);

// Whether it finds an object with these labels. A term that cannot be read finds nothing.
bool selects(const boost::json::object& selector, const std::map<std::string, std::string>& labels);

}  // namespace sluice::model
