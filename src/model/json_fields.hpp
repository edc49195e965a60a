// Steps through the fields of JSON from the API server, for the decoders of this folder. What is
// not of the type that it should be throws simdjson_error, which the decoder turns into an Error.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/utf8.hpp"
#include "model/custom_object.hpp"
#include "model/kept.hpp"
#include "model/statefulset.hpp"

namespace sluice::model::wire {

using Value = simdjson::ondemand::value;

// The text gets the room behind its end that the parser wants.
inline simdjson::ondemand::document document_of(simdjson::ondemand::parser& parser,
                                                std::string& text) {
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    return parser.iterate(simdjson::padded_string_view(text.data(), text.size(), text.capacity()));
}

// What `use` makes of the document.
template <class Use>
auto parse(simdjson::ondemand::parser& parser, std::string& text, Use use)
    -> Result<decltype(use(simdjson::ondemand::document{}))> {
    try {
        return use(document_of(parser, text));
    } catch (const simdjson::simdjson_error& error) {
        return failure(ErrorKind::Malformed,
                       fmt::format("unreadable JSON from the API server: {}", error.what()));
    }
}

inline std::string text_of(Value value) {
    return std::string{value.get_string().value()};
}

inline std::uint64_t version_of(std::string_view text) {
    std::uint64_t version = 0;
    std::from_chars(text.data(), text.data() + text.size(), version);
    return version;
}

// Kubernetes numbers are int32 where we read them; others are nobody's.
inline std::int32_t int32_of(Value value) {
    const std::int64_t number = value.get_int64();
    if (number < INT32_MIN || number > INT32_MAX)
        throw simdjson::simdjson_error(simdjson::NUMBER_OUT_OF_RANGE);
    return static_cast<std::int32_t>(number);
}

inline Instant time_of(Value value) {
    return parse_rfc3339(value.get_string()).value_or(Instant{});
}

inline bool is_null(Value& value) {
    return value.type() == simdjson::ondemand::json_type::null;
}

template <class Use>
void each_field(Value value, Use use) {
    if (is_null(value)) return;
    for (auto field : value.get_object()) {
        const std::string_view key = field.unescaped_key();
        use(key, field.value().value());
    }
}

// Feeds the fields of a metadata object that we know to `meta`, the others to `other`.
template <class Other>
void read_meta(Value value, ObjectMeta& meta, Other other) {
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "name")
            meta.key.name = text_of(field);
        else if (key == "namespace")
            meta.key.ns = text_of(field);
        else if (key == "uid")
            meta.uid = text_of(field);
        else if (key == "resourceVersion")
            meta.resource_version = version_of(text_of(field));
        else if (key == "generation")
            meta.generation = field.get_int64();
        else if (key == "deletionTimestamp")
            meta.deleting = !is_null(field);
        else
            other(key, field);
    });
}

struct Owner {
    std::string kind;
    std::string name;
    std::string uid;
};

// Of the owners of an object the one that controls it; empty texts if none does. The server allows
// one; of several the last one counts.
inline Owner controller_in(Value owners) {
    Owner controller;
    if (is_null(owners)) return controller;
    for (auto entry : owners.get_array()) {
        Owner owner;
        bool controls = false;
        each_field(entry.value(), [&](std::string_view key, Value field) {
            if (key == "kind")
                owner.kind = text_of(field);
            else if (key == "name")
                owner.name = text_of(field);
            else if (key == "uid")
                owner.uid = text_of(field);
            else if (key == "controller")
                controls = !is_null(field) && field.get_bool();
        });
        if (controls) controller = std::move(owner);
    }
    return controller;
}
// Into the object, which keeps its name, UID and kind.
inline void read_owner(Value owners, auto& object) {
    Owner owner = controller_in(owners);
    object.owner = std::move(owner.name);
    object.owner_uid = std::move(owner.uid);
    object.owner_kind = std::move(owner.kind);
}

inline void read_texts(Value value, Texts& into) {
    each_field(value, [&](std::string_view key, Value field) {
        std::string name{key};
        into.insert_or_assign(std::move(name), text_of(field));
    });
}

// Those of these names, and of each as much as is kept.
inline void read_kept(Value value, Texts& into, const Kept::Names& names) {
    each_field(value, [&](std::string_view key, Value field) {
        const auto name = names.find(key);
        if (name == names.end()) return;
        into.insert_or_assign(*name, std::string{beginning(field.get_string(), kept_bytes_max)});
    });
}

// Throws, too, where it is too large, or has no name or UID.
CustomObject read_custom_object(Value value, const Kept& kept, std::string_view content);

}  // namespace sluice::model::wire
