#include "api/pilot/hooks/yaml_fields.hpp"

#include <boost/json.hpp>
#include <utility>

#include "api/inquiry/strict_yaml.hpp"
#include "base/printable.hpp"

namespace sluice::api::pilot {

namespace {

constexpr std::size_t fields_max = 64;  // four are known; the rest are only there to be named
constexpr std::size_t key_bytes_max = 64;

}  // namespace

std::expected<Fields, FieldError> read_yaml_fields(const std::string& text) {
    const auto document = read_strictly(text);
    if (!document) return std::unexpected(document.error());
    const auto* mapping = document->if_object();
    if (!mapping) return wrong("", "must be a mapping with the field url");
    if (mapping->size() > fields_max) return wrong("", "has more than 64 fields");
    Fields fields;
    for (const auto& [key, value] : *mapping) {
        const auto field = [&key] { return printable(std::string_view{key}, key_bytes_max); };
        if (value.is_null()) return wrong(field(), "must not be empty");
        if (!value.is_string()) return wrong(field(), "must be a text, not a list or a mapping");
        fields.emplace(key, value.get_string());
    }
    return fields;
}

}  // namespace sluice::api::pilot
