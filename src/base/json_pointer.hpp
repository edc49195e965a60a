// A key as it stands in a JSON pointer (RFC 6901): "~" and "/" inside it are spelled "~0" and "~1".
#pragma once

#include <string>
#include <string_view>

namespace sluice {

inline std::string pointer_token(std::string_view key) {
    std::string token;
    for (const char c : key) {
        if (c == '~')
            token += "~0";
        else if (c == '/')
            token += "~1";
        else
            token += c;
    }
    return token;
}

}  // namespace sluice
