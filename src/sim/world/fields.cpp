#include "sim/world/fields.hpp"

#include <algorithm>

#include "base/time.hpp"

namespace sluice::sim {

std::int64_t number(const std::string& text) {
    return std::stoll("0" + text.substr(0, 9));
}

json::value as_text(const std::string& text) {
    return json::value(text);
}

json::value as_number(const std::string& text) {
    return number(text);
}

json::value as_seconds(const std::string& text) {
    return parse_duration(text).value_or(0s) / 1s;
}

json::value as_flag(const std::string& text) {
    return text == "true";
}

std::vector<WordField> with_fields(std::span<const WordField> own,
                                   std::span<const WordField> common) {
    std::vector<WordField> all{own.begin(), own.end()};
    all.insert(all.end(), common.begin(), common.end());
    return all;
}

const WordField* find_field(std::span<const WordField> known, std::string_view word) {
    const auto found = std::ranges::find(known, word, &WordField::word);
    return found == known.end() ? nullptr : &*found;
}

void put_fields(json::object& into, std::span<const WordField> known, const FieldTexts& texts) {
    for (const WordField& field : known)
        if (const auto text = texts.find(std::string{field.word}); text != texts.end())
            set(into, field.pointer, field.value(text->second));
}

json::object field_patch(std::span<const WordField> known, std::string_view word,
                         const std::string& text) {
    json::object patch;
    if (const WordField* field = find_field(known, word))
        set(patch, field->pointer,
            text == "none" && !field->knows_none ? json::value(nullptr) : field->value(text));
    return patch;
}

}  // namespace sluice::sim
