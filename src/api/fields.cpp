#include "api/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/names.hpp"

namespace sluice::api {

namespace json = boost::json;

constexpr std::size_t errors_max = 16;  // more say nothing new to a person

std::size_t length_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void Fields::note(std::string field, std::string what) const {
    if (errors_->size() < errors_max) errors_->push_back({std::move(field), std::move(what)});
}

void Fields::fault(std::string_view key, std::string what) const {
    note(fmt::format("{}.{}", path_, key), std::move(what));
}

void Fields::fault_here(std::string what) const {
    note(path_, std::move(what));
}

const json::value* Fields::find(std::string_view key, bool is_required) const {
    const json::value* value = object_->if_contains(key);
    if (value && !value->is_null()) return value;
    if (is_required) fault(key, "is required");
    return nullptr;
}

std::optional<Fields> Fields::object(std::string_view key, bool is_required) const {
    const json::value* value = find(key, is_required);
    if (!value) return std::nullopt;
    if (value->is_object())
        return Fields{value->get_object(), fmt::format("{}.{}", path_, key), *errors_};
    fault(key, "must be an object");
    return std::nullopt;
}

std::vector<Fields> Fields::list(std::string_view key, std::size_t max) const {
    std::vector<Fields> entries;
    const json::value* value = find(key);
    if (!value) return entries;
    if (!value->is_array() || value->get_array().size() > max) {
        fault(key, fmt::format("must be a list of at most {} entries", max));
        return entries;
    }
    for (std::size_t i = 0; i < value->get_array().size(); ++i) {
        const json::value& entry = value->get_array()[i];
        std::string path = fmt::format("{}.{}[{}]", path_, key, i);
        if (entry.is_object())
            entries.emplace_back(entry.get_object(), std::move(path), *errors_);
        else
            note(std::move(path), "must be an object");
    }
    return entries;
}

std::optional<bool> Fields::flag(std::string_view key) const {
    const json::value* value = find(key);
    if (!value) return std::nullopt;
    if (value->is_bool()) return value->get_bool();
    fault(key, "must be true or false");
    return std::nullopt;
}

std::optional<int> Fields::number(std::string_view key, Range range) const {
    const json::value* value = find(key);
    if (!value) return std::nullopt;
    boost::system::error_code error;
    const auto number = value->is_number() ? value->to_number<std::int64_t>(error) : 0;
    if (value->is_number() && !error && number >= range.min && number <= range.max)
        return static_cast<int>(number);
    fault(key, fmt::format("must be a whole number from {} to {}", range.min, range.max));
    return std::nullopt;
}

std::string Fields::text(std::string_view key, std::size_t max, bool is_required) const {
    const json::value* value = find(key, is_required);
    if (!value) return {};
    if (!value->is_string())
        fault(key, "must be a text");
    else if (value->get_string().empty() && is_required)
        fault(key, "must not be empty");
    else if (length_of(value->get_string()) > max)
        fault(key, fmt::format("must have at most {} characters", max));
    else
        return std::string{value->get_string()};
    return {};
}

std::string Fields::name(std::string_view key, bool is_required) const {
    std::string found = text(key, subdomain_bytes_max, is_required);
    if (found.empty() || is_dns_subdomain(found)) return found;
    fault(key, "must be the name of an object: a-z, 0-9, - and ., as in web or shop.web-1");
    return {};
}

std::size_t Fields::choice(std::string_view key,
                           std::initializer_list<std::string_view> names) const {
    const json::value* value = find(key);
    if (!value) return 0;
    const auto found = value->is_string()
                           ? std::ranges::find(names, std::string_view{value->get_string()})
                           : names.end();
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    fault(key, fmt::format("must be one of {}", fmt::join(names, ", ")));
    return 0;
}

std::map<std::string, std::string> Fields::texts(std::string_view key, std::size_t max,
                                                 std::size_t text_max) const {
    std::map<std::string, std::string> found;
    const std::optional<Fields> fields = object(key, !required);
    if (!fields) return found;
    for (const auto& [name, value] : *fields->object_)
        if (value.is_string() && length_of(value.get_string()) <= text_max)
            found.emplace(name, value.get_string());
    if (found.size() == fields->object_->size() && found.size() <= max) return found;
    fault(key, fmt::format("must hold at most {} texts of at most {} characters", max, text_max));
    return {};
}

std::string Fields::json(std::string_view key, std::size_t bytes_max, bool is_required) const {
    const std::optional<Fields> fields = object(key, is_required);
    if (!fields) return {};
    std::string text = fields->json();
    if (text.size() <= bytes_max) return text;
    fault(key, fmt::format("must have at most {} bytes as JSON", bytes_max));
    return {};
}

std::string Fields::json() const {
    return json::serialize(*object_);
}

json::value parse_part(std::string_view text, std::string_view name, FieldErrors& errors) {
    const auto refused = [&](const char* what) {
        errors.push_back({std::string{name}, what});
        return json::object{};
    };
    if (text.empty()) return refused("is required");
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    if (error) return refused("is not readable");
    if (!value.is_object()) return refused("must be an object");
    return value;
}

}  // namespace sluice::api
