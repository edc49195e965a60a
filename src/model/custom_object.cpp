#include "model/custom_object.hpp"

#include <algorithm>

#include "model/json_fields.hpp"

namespace sluice::model {
namespace {

using namespace simdjson;
using namespace wire;

// An API server stores no object beyond about 1.5 MiB; these two parts of ours are small.
constexpr std::size_t part_max = 64u << 10;
constexpr std::size_t finalizers_max = 64;

std::string part_of(Value value) {
    if (is_null(value)) return {};
    const std::string_view text = value.get_object().value().raw_json();
    if (text.size() > part_max) throw simdjson_error(CAPACITY);
    return std::string{text.substr(0, text.rfind('}') + 1)};  // without the space behind it
}

void read_finalizers(Value value, std::vector<std::string>& into) {
    into.clear();  // of two lists the last one counts
    if (is_null(value)) return;
    for (auto entry : value.get_array()) {
        if (into.size() == finalizers_max) throw simdjson_error(CAPACITY);
        into.push_back(text_of(entry.value()));
    }
}

}  // namespace

CustomObject wire::read_custom_object(Value value, const Kept& kept, std::string_view content) {
    CustomObject object;
    each_field(value, [&](std::string_view key, Value field) {
        if (key == "metadata")
            read_meta(field, object.meta, [&](std::string_view name, Value inner) {
                if (name == "labels") read_texts(inner, object.labels);
                if (name == "annotations") read_kept(inner, object.annotations, kept.annotations);
                if (name == "finalizers") read_finalizers(inner, object.finalizers);
                if (name == "ownerReferences") read_owner(inner, object);
                if (name == "creationTimestamp" && !is_null(inner)) object.created = time_of(inner);
            });
        else if (key == content)
            object.spec = part_of(field);
        else if (key == "status")
            object.status = part_of(field);
    });
    if (object.meta.key.name.empty() || object.meta.uid.empty())
        throw simdjson_error(NO_SUCH_FIELD);
    return object;
}

Result<CustomObject> decode_custom_object(std::string text, const Kept& kept,
                                          std::string_view content) {
    ondemand::parser parser;
    return parse(parser, text, [&](ondemand::document document) {
        return read_custom_object(document.get_value(), kept, content);
    });
}

bool has_finalizer(const CustomObject& object, std::string_view finalizer) {
    return std::ranges::find(object.finalizers, finalizer) != object.finalizers.end();
}

}  // namespace sluice::model
