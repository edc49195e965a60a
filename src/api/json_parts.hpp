// Reads and writes the parts of an object that the operator itself writes. Writing leaves out what
// says nothing and cuts texts, so that the API server takes it; reading is total: what is not of
// its type reads as nothing. A time of Instant{} is none.
// What is both read and written lists its fields once: a function of a JsonReader or JsonWriter and
// a value calls the same functions of either.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "model/json_text.hpp"

namespace sluice::api {

// The bound of what needs none.
inline constexpr std::size_t unbounded = std::numeric_limits<std::int64_t>::max();

// At most so many bytes, with no character cut in two. The bounds of definitions count characters,
// which are never more.
inline std::string_view cut(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80)
        --max;
    return text.substr(0, max);
}

// A field of a status that is no text as JSON. A number is from 0 to `max`.
template <class Field>
boost::json::value json_of(const Field& value, std::size_t max) {
    if constexpr (std::same_as<Field, Instant>)
        return boost::json::string(to_rfc3339(value));
    else if constexpr (std::same_as<Field, bool>)
        return value;
    else if constexpr (std::integral<Field>)
        return std::clamp<std::int64_t>(value, 0, static_cast<std::int64_t>(max));
    else if constexpr (requires { *value; })
        return value ? json_of(*value, max) : boost::json::value{};
    else
        return json_of(value.value, max);
}

class JsonWriter {
  public:
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

    // For lists of fields. One that says nothing is left out, but where it is `always` written.
    JsonWriter& field(std::string_view key, std::string_view text, std::size_t max = unbounded) {
        return text.empty() ? *this : always(key, text, max);
    }
    JsonWriter& always(std::string_view key, std::string_view text, std::size_t max = unbounded) {
        object_[key] = cut(text, max);
        return *this;
    }
    template <class Field>
        requires(!std::convertible_to<const Field&, std::string_view>)
    JsonWriter& field(std::string_view key, const Field& value, std::size_t max = unbounded) {
        return value == Field{} ? *this : always(key, value, max);
    }
    template <class Field>
        requires(!std::convertible_to<const Field&, std::string_view>)
    JsonWriter& always(std::string_view key, const Field& value, std::size_t max = unbounded) {
        object_[key] = json_of(value, max);
        return *this;
    }
    // The field that an object is not without.
    JsonWriter& key(std::string_view key, const std::string& value, std::size_t max) {
        return always(key, value, max);
    }
    // Of a list of words, the one at this place.
    template <class Word, class Words>
    JsonWriter& word(std::string_view key, Word value, const Words& words) {
        object_[key] = words[static_cast<std::size_t>(value)];
        return *this;
    }
    template <class Part, class Fields>
    JsonWriter& part(std::string_view key, const Part& value, Fields fields) {
        JsonWriter inner;
        if constexpr (requires { *value; }) {
            if (value) fields(inner, *value);
        } else if (value != Part{}) {
            fields(inner, value);
        }
        if (!inner.object_.empty()) object_[key] = inner.take();
        return *this;
    }
    template <class Entry, class Fields>
    JsonWriter& entries(std::string_view key, const std::vector<Entry>& from, std::size_t max,
                        Fields fields) {
        return list(key, from, max, [&](const Entry& entry) {
            JsonWriter inner;
            fields(inner, entry);
            return inner.take();
        });
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

    // For lists of fields: each is read into its place. A number beyond its bound is none.
    template <class Field>
    JsonReader& field(std::string_view key, Field& into, std::size_t max = unbounded) {
        if constexpr (std::same_as<Field, std::string>)
            into = text(key);
        else if constexpr (std::same_as<Field, Instant>)
            into = time(key);
        else if constexpr (std::same_as<Field, bool>)
            into = flag(key);
        else if constexpr (std::same_as<Field, std::optional<bool>>)
            into = truth(key);
        else if constexpr (std::integral<Field>)
            into = number<Field>(key).value_or(into);
        else if constexpr (requires { *into; }) {
            const std::optional<int> found = number(key);
            if (found && std::cmp_less_equal(*found, max)) into.emplace(*found);
        } else
            into.value = count(key);
        return *this;
    }
    template <class Field>
    JsonReader& always(std::string_view key, Field& into, std::size_t max = unbounded) {
        return field(key, into, max);
    }
    // Without it there is no object.
    JsonReader& key(std::string_view key, std::string& into, std::size_t max) {
        if (field(key, into, max); into.empty()) object_ = nullptr;
        return *this;
    }
    // One that is none of the words is the first.
    template <class Word, class Words>
    JsonReader& word(std::string_view key, Word& into, const Words& words) {
        const auto found = std::ranges::find(words, text(key));
        into = static_cast<Word>(found == words.end() ? 0 : found - words.begin());
        return *this;
    }
    template <class Part, class Fields>
    JsonReader& part(std::string_view key, std::optional<Part>& into, Fields fields) {
        into = part(key).whole<Part>(fields);
        return *this;
    }
    template <class Part, class Fields>
    JsonReader& part(std::string_view key, Part& into, Fields fields) {
        JsonReader inner = part(key);
        fields(inner, into);
        return *this;
    }
    template <class Entry, class Fields>
    JsonReader& entries(std::string_view key, std::vector<Entry>& into, std::size_t max,
                        Fields fields) {
        into = list(key, max, [&](JsonReader inner) { return inner.whole<Entry>(fields); });
        return *this;
    }

  private:
    template <class Part, class Fields>
    std::optional<Part> whole(Fields fields) {
        Part part;
        fields(*this, part);
        return object_ ? std::optional{std::move(part)} : std::nullopt;
    }

    const boost::json::object* object_;
};

// What the fields make of a JSON text.
template <class Whole, class Fields>
Whole read_json(std::string_view text, Fields fields) {
    const boost::json::value value = model::parse_json(text);
    JsonReader reader{&value};
    Whole whole;
    fields(reader, whole);
    return whole;
}

template <class Whole, class Fields>
std::string write_json(const Whole& whole, Fields fields) {
    JsonWriter writer;
    fields(writer, whole);
    return boost::json::serialize(writer.take());
}

}  // namespace sluice::api
