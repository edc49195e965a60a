// The words that scenarios and random worlds have for fields of objects, and the values that they
// stand for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

struct WordField {
    std::string_view word;
    std::string_view pointer;  // in the object
    json::value (*value)(const std::string& text);
    bool knows_none = false;  // "none" is a value, and takes nothing away
};
using FieldTexts = std::map<std::string, std::string>;  // by word: "period" "30s"

std::int64_t number(const std::string& text);

json::value as_text(const std::string& text);
json::value as_number(const std::string& text);
json::value as_seconds(const std::string& text);  // of a time such as 30s
json::value as_flag(const std::string& text);

// Those of an API, and those that it has in common with others.
std::vector<WordField> with_fields(std::span<const WordField> own,
                                   std::span<const WordField> common);

const WordField* find_field(std::span<const WordField> known, std::string_view word);
void put_fields(json::object& into, std::span<const WordField> known, const FieldTexts& texts);
// A merge patch of one field. "none" takes it away.
json::object field_patch(std::span<const WordField> known, std::string_view word,
                         const std::string& text);

// An object that says how a StatefulSet is rolled out.
struct RolloutOptions {
    std::string name = "gentle";
    std::string ns = "shop";
    std::string target = "web";
    FieldTexts fields = {};  // in the words of its API
};

}  // namespace sluice::sim
