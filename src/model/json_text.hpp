// JSON documents that others wrote, and what stands in them at a JSON pointer.
#pragma once

#include <boost/json/parse.hpp>
#include <string_view>

namespace sluice::model {

// Null if the text is not JSON, or is nested deeper.
inline boost::json::value parse_json(std::string_view text, std::size_t depth_max = 32) {
    boost::json::parse_options options;
    options.max_depth = depth_max;
    boost::system::error_code broken;
    return boost::json::parse(text, broken, {}, options);  // null if it is broken
}

// Null if there is none. It lives as long as the document.
inline const boost::json::value* value_at(const boost::json::value& whole,
                                          std::string_view pointer) {
    boost::system::error_code absent;
    return whole.find_pointer(pointer, absent);
}

// Empty if there is none. It lives as long as the document.
inline std::string_view text_at(const boost::json::value& whole, std::string_view pointer) {
    const boost::json::value* found = value_at(whole, pointer);
    return found && found->is_string() ? std::string_view{found->get_string()} : "";
}

// What a merge patch has to say to make `to` of `from`: what is not in `to` is null in it.
boost::json::value merge_patch_between(const boost::json::value& from,
                                       const boost::json::value& to);

}  // namespace sluice::model
