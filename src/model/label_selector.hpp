// A LabelSelector (matchLabels, matchExpressions) as the text of a query: "app=web,tier in (a,b)".
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace sluice::model {

// Nothing if a part of it cannot be read: a selector that lost a term would select too much.
std::optional<std::string> selector_text(const boost::json::object& selector);

}  // namespace sluice::model
