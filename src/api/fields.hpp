// The fields of an object that a user wrote, read with their path at hand. Total: whatever stands
// there reads as a value within its bounds, or as a field that is not there and a sentence about
// it. A null is a field that is not there. What the user wrote is never repeated in a sentence.
#pragma once

#include <boost/json/value.hpp>
#include <expected>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_error.hpp"

namespace sluice::api {

struct Range {
    int min;
    int max;
};

// For the argument of that name below.
inline constexpr bool required = true;

class Fields {
  public:
    // `errors` and `object` must outlive it. Of very many faults only the first are noted.
    Fields(const boost::json::object& object, std::string path, FieldErrors& errors)
        : object_(&object), path_(std::move(path)), errors_(&errors) {}

    const std::string& path() const { return path_; }
    bool has(std::string_view key) const { return find(key) != nullptr; }
    const boost::json::value* find(std::string_view key, bool is_required = false) const;

    void fault(std::string_view key, std::string what) const;
    void fault_here(std::string what) const;  // of the object as a whole

    std::optional<Fields> object(std::string_view key, bool is_required) const;
    // The entries of a list of objects. One that is no object is a fault, and left out.
    std::vector<Fields> list(std::string_view key, std::size_t max) const;

    std::optional<bool> flag(std::string_view key) const;
    std::optional<int> number(std::string_view key, Range range) const;
    std::string text(std::string_view key, std::size_t max, bool is_required) const;
    // The name of an object.
    std::string name(std::string_view key, bool is_required) const;
    // The place in the list of names; 0 if the field is not there.
    std::size_t choice(std::string_view key, std::initializer_list<std::string_view> names) const;
    std::map<std::string, std::string> texts(std::string_view key, std::size_t max,
                                             std::size_t text_max) const;
    // An object as JSON; empty if it is not there.
    std::string json(std::string_view key, std::size_t bytes_max, bool is_required) const;
    // The whole of it as JSON.
    std::string json() const;

  private:
    void note(std::string field, std::string what) const;

    const boost::json::object* object_;
    std::string path_;
    FieldErrors* errors_;
};

// The length as the API server counts it: in code points.
std::size_t length_of(std::string_view text);

// Reads `text`, the JSON of the field `name`, with `read`, from Fields to a value. Without a fault
// it is the value; with one it is all that were found.
boost::json::value parse_part(std::string_view text, std::string_view name, FieldErrors& errors);

template <class Read>
auto read_part(std::string_view text, std::string_view name, Read read)
    -> std::expected<decltype(read(std::declval<const Fields&>())), FieldErrors> {
    FieldErrors errors;
    const boost::json::value value = parse_part(text, name, errors);
    if (!errors.empty()) return std::unexpected(std::move(errors));
    auto result = read(Fields{value.get_object(), std::string{name}, errors});
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return result;
}

}  // namespace sluice::api
