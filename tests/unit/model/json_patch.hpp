// RFC 6902 as far as our patches need it (test, add, replace, remove), on Boost.JSON documents. One
// liberty, which Kubernetes takes too: a `test` for null passes where there is nothing. A patch is
// applied as a whole or not at all.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sluice::model::testing {

namespace json = boost::json;

// "/a~1b/c~0d" as {"a/b", "c~d"}.
inline std::vector<std::string> pointer_tokens(std::string_view pointer) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < pointer.size(); ++at) {
        const char c = pointer[at];
        if (c == '/')
            tokens.emplace_back();
        else if (c == '~')
            tokens.back() += pointer[++at] == '1' ? '/' : '~';
        else
            tokens.back() += c;
    }
    return tokens;
}

// The object that holds the last token of the path; null if there is none.
inline json::object* holder_of(json::value& document, const std::vector<std::string>& tokens) {
    json::value* at = &document;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        at = at->is_object() ? at->get_object().if_contains(tokens[i]) : nullptr;
        if (!at) return nullptr;
    }
    return at->is_object() ? &at->get_object() : nullptr;
}

inline bool apply_one(json::value& document, const json::object& operation) {
    const std::string op{operation.at("op").as_string()};
    const auto tokens = pointer_tokens(std::string{operation.at("path").as_string()});
    json::object* holder = holder_of(document, tokens);
    if (!holder) return false;
    json::value* found = holder->if_contains(tokens.back());
    if (op == "test") {
        const json::value& wanted = operation.at("value");
        return found ? *found == wanted : wanted.is_null();
    }
    if (op == "remove") return holder->erase(tokens.back()) == 1;
    if (op == "replace" && !found) return false;
    if (op != "add" && op != "replace") return false;
    (*holder)[tokens.back()] = operation.at("value");
    return true;
}

// The document after the patch, or nothing if any of its operations failed.
inline std::optional<json::value> applied(json::value document, const std::string& patch) {
    const json::value operations = json::parse(patch);
    for (const json::value& operation : operations.as_array()) {
        if (!apply_one(document, operation.as_object())) return std::nullopt;
    }
    return document;
}

}  // namespace sluice::model::testing
