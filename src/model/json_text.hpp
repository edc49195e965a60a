// A text within a JSON document, by its JSON pointer.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

namespace sluice::model {

// Empty if there is none. It lives as long as the document.
inline std::string_view text_at(const boost::json::value& whole, std::string_view pointer) {
    boost::system::error_code absent;
    const boost::json::value* found = whole.find_pointer(pointer, absent);
    return found && found->is_string() ? std::string_view{found->get_string()} : "";
}

}  // namespace sluice::model
