#include "api/rollout_plugin/entries.hpp"

#include <boost/json.hpp>
#include <utility>

#include "api/inquiry/strict_yaml.hpp"
#include "base/printable.hpp"

namespace sluice::api::rollout_plugin {

namespace {

namespace json = boost::json;

constexpr std::size_t list_max = 64;  // people declare three plugins with two arguments
constexpr std::size_t key_bytes_max = 64;

template <class T>
using Read = std::expected<T, FieldError>;

Read<EntryValue> read_texts(const json::array& list, const std::string& field) {
    if (list.size() > list_max) return wrong(field, "has more than 64 texts");
    std::vector<std::string> texts;
    for (const json::value& one : list) {
        if (!one.is_string()) return wrong(field, "must be a list of texts");
        texts.emplace_back(one.get_string());
    }
    return texts;
}

Read<EntryValue> read_value(const json::value& value, const std::string& field) {
    if (const auto* text = value.if_string()) return std::string{*text};
    if (const auto* list = value.if_array()) return read_texts(*list, field);
    return wrong(field,
                 value.is_null() ? "must not be empty" : "must be a text or a list of texts");
}

Read<Entry> read_entry(const json::value& value, const std::string& field) {
    const auto* mapping = value.if_object();
    if (!mapping) return wrong(field, "must be a mapping");
    if (mapping->size() > list_max) return wrong(field, "has more than 64 fields");
    Entry entry;
    for (const auto& [key, inner] : *mapping) {
        if (key.empty()) return wrong(field, "a key must be a text");
        const std::string_view name = key;
        Read<EntryValue> read = read_value(inner, field + "." + printable(name, key_bytes_max));
        if (!read) return std::unexpected(read.error());
        entry.emplace(name, *std::move(read));
    }
    return entry;
}

}  // namespace

Read<std::vector<Entry>> read_entries(const std::string& text) {
    const auto document = read_strictly(text);
    if (!document) return std::unexpected(document.error());
    std::vector<Entry> entries;
    if (document->is_null()) return entries;
    const auto* list = document->if_array();
    if (!list) return wrong("", "must be a list");
    if (list->size() > list_max) return wrong("", "has more than 64 entries");
    for (const json::value& one : *list) {
        Read<Entry> entry = read_entry(one, "[" + std::to_string(entries.size()) + "]");
        if (!entry) return std::unexpected(entry.error());
        entries.push_back(*std::move(entry));
    }
    return entries;
}

}  // namespace sluice::api::rollout_plugin
