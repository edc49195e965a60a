// Ways to change the JSON of an example.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "model/custom_object.hpp"

namespace sluice::api::testing {

struct Change {
    std::string pointer;  // "/check/maxTries"
    std::string value;    // JSON; empty: the field is left out
};
using Changes = std::vector<Change>;

inline std::string changed(const std::string& example, const Changes& changes) {
    boost::json::value spec = boost::json::parse(example);
    for (const auto& [pointer, value] : changes) {
        const std::size_t slash = pointer.rfind('/');
        boost::json::value& parent = spec.at_pointer(pointer.substr(0, slash));
        const std::string key = pointer.substr(slash + 1);
        if (parent.is_array())
            parent.as_array().at(std::stoul(key)) = boost::json::parse(value);
        else if (value.empty())
            parent.as_object().erase(key);
        else
            parent.as_object()[key] = boost::json::parse(value);
    }
    return boost::json::serialize(spec);
}

inline model::CustomObject with_spec(std::string spec) {
    model::CustomObject object;
    object.spec = std::move(spec);
    return object;
}

// JSON of a text.
inline std::string json_text(std::string_view text) {
    return boost::json::serialize(boost::json::string(text));
}

}  // namespace sluice::api::testing
