// Reads and writes the parts of an object that the operator itself writes. Writing leaves out what
// says nothing and cuts texts, so that the API server takes it; reading is total: what is not of
// its type reads as nothing. A time of Instant{} is none.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace sluice::api {

// At most so many bytes, with no character cut in two. The bounds of definitions count characters,
// which are never more.
inline std::string_view cut(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80)
        --max;
    return text.substr(0, max);
}

class JsonWriter {
  public:
    JsonWriter& text(std::string_view key, std::string_view value, std::size_t max) {
        if (!value.empty()) object_[key] = cut(value, max);
        return *this;
    }
    JsonWriter& time(std::string_view key, Instant value) {
        if (value != Instant{}) object_[key] = to_rfc3339(value);
        return *this;
    }
    JsonWriter& number(std::string_view key, std::int64_t value) {
        object_[key] = std::max<std::int64_t>(value, 0);
        return *this;
    }
    JsonWriter& flag(std::string_view key, bool value) {
        if (value) object_[key] = true;
        return *this;
    }
    JsonWriter& part(std::string_view key, boost::json::value value) {
        object_[key] = std::move(value);
        return *this;
    }
    // At most so many entries, each as `write` gives it.
    template <class Entry, class Write>
    JsonWriter& list(std::string_view key, const std::vector<Entry>& entries, std::size_t max,
                     Write write) {
        boost::json::array array;
        for (const Entry& entry : entries)
            if (array.size() < max) array.push_back(write(entry));
        if (!array.empty()) object_[key] = std::move(array);
        return *this;
    }
    boost::json::object take() { return std::move(object_); }

  private:
    boost::json::object object_;
};

class JsonReader {
  public:
    explicit JsonReader(const boost::json::value* value)
        : object_(value ? value->if_object() : nullptr) {}
    explicit operator bool() const { return object_ != nullptr; }

    const boost::json::value* find(std::string_view key) const {
        return object_ ? object_->if_contains(key) : nullptr;
    }
    JsonReader part(std::string_view key) const { return JsonReader{find(key)}; }
    std::string text(std::string_view key) const {
        const boost::json::value* value = find(key);
        return value && value->is_string() ? std::string{value->get_string()} : std::string{};
    }
    Instant time(std::string_view key) const {
        return parse_rfc3339(text(key)).value_or(Instant{});
    }
    template <class Number = int>
    std::optional<Number> number(std::string_view key) const {
        const boost::json::value* value = find(key);
        if (!value || !value->is_int64()) return std::nullopt;
        const std::int64_t number = value->get_int64();
        if (number < 0 || number > std::numeric_limits<Number>::max()) return std::nullopt;
        return static_cast<Number>(number);
    }
    int count(std::string_view key) const { return number(key).value_or(0); }
    std::optional<bool> truth(std::string_view key) const {
        const boost::json::value* value = find(key);
        return value && value->is_bool() ? std::optional{value->get_bool()} : std::nullopt;
    }
    bool flag(std::string_view key) const { return truth(key).value_or(false); }
    // Of at most so many entries, those that `read` makes something of.
    template <class Read>
    auto list(std::string_view key, std::size_t max, Read read) const {
        std::vector<typename decltype(read(JsonReader{nullptr}))::value_type> entries;
        const boost::json::value* value = find(key);
        const boost::json::array* array = value ? value->if_array() : nullptr;
        if (!array) return entries;
        for (const boost::json::value& entry : *array) {
            if (entries.size() == max) break;
            if (auto one = read(JsonReader{&entry})) entries.push_back(std::move(*one));
        }
        return entries;
    }

  private:
    const boost::json::object* object_;
};

}  // namespace sluice::api
