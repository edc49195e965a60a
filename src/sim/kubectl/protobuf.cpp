#include "sim/kubectl/protobuf.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "sim/kubectl/protobuf_fields.hpp"

namespace sluice::sim {
namespace {

constexpr std::string_view magic{"k8s\0", 4};
constexpr int depth_max = 16;  // a PodSpec in a Job is at 5

// One field as it stands in the bytes: a number, or bytes.
struct RawField {
    int number = 0;
    std::uint64_t value = 0;
    std::string_view bytes = {};
    bool is_bytes = false;
    bool is_empty() const { return is_bytes ? bytes.empty() : value == 0; }
};

// Reads fields one by one. Whatever is cut short or of another wire type ends the reading.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    bool next(RawField& field) {
        if (rest_.empty() || is_broken_) return false;
        const std::uint64_t tag = varint();
        field = {.number = static_cast<int>(tag >> 3)};
        if ((tag & 7) == 0) {
            field.value = varint();
        } else if ((tag & 7) == 2) {
            const std::uint64_t size = varint();
            is_broken_ = is_broken_ || size > rest_.size();
            if (is_broken_) return false;
            field.is_bytes = true;
            field.bytes = rest_.substr(0, size);
            rest_.remove_prefix(size);
        } else {
            is_broken_ = true;
        }
        return !is_broken_;
    }
    bool is_broken() const { return is_broken_; }

  private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        is_broken_ = true;
        return 0;
    }

    std::string_view rest_;
    bool is_broken_ = false;
};

using Text = std::string;

Text text_field(std::string_view message, int number) {
    Reader reader(message);
    RawField field;
    Text found;
    while (reader.next(field))
        if (field.number == number && field.is_bytes) found = Text{field.bytes};
    return found;
}

// An entry of a map: key = 1, value = 2. A quantity is a message around its text.
void add_entry(json::object& map, const RawField& field, std::string_view type) {
    const Text key = text_field(field.bytes, 1);
    const Text value = text_field(field.bytes, 2);
    if (type == "bytes")
        map[key] = encode_base64(value);
    else
        map[key] = type == "quantities" ? text_field(value, 1) : value;
}

// type = 1 (0: a number), intVal = 2, strVal = 3.
json::value int_or_text(std::string_view bytes) {
    Reader reader(bytes);
    RawField field;
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    while (reader.next(field)) {
        if (field.number == 1) type = field.value;
        if (field.number == 2) number = field.value;
    }
    if (type == 0) return static_cast<std::int64_t>(number);
    return json::value(text_field(bytes, 3));
}

bool is_left_out(std::string_view type, const RawField& field, const json::value& value) {
    if (type.ends_with('?')) return false;
    return field.is_empty() || (value.is_object() && value.get_object().empty());
}

// Turns messages into objects by the table of fields. The first thing that it cannot read ends it.
class Decoder {
  public:
    json::object message(std::string_view name, std::string_view bytes, int depth = 0);
    const Text& complaint() const { return complaint_; }

  private:
    json::value value(std::string_view type, const RawField& field, int depth);
    void add(json::object& message, const ProtobufField& field, const RawField& wire, int depth);

    Text complaint_;
};

json::value Decoder::value(std::string_view type, const RawField& field, int depth) {
    if (type.ends_with('?')) type.remove_suffix(1);
    if (type == "string") return json::value(Text{field.bytes});
    if (type == "int") return static_cast<std::int64_t>(field.value);
    if (type == "bool") return field.value != 0;
    if (type == "intstr") return int_or_text(field.bytes);
    return message(type, field.bytes, depth + 1);
}

void Decoder::add(json::object& message, const ProtobufField& field, const RawField& wire,
                  int depth) {
    const std::string_view type = field.type;
    if (type == "-") return;
    if (type == "map" || type == "bytes" || type == "quantities") {
        json::value& map = message[field.name];
        if (!map.is_object()) map.emplace_object();
        add_entry(map.get_object(), wire, type);
    } else if (type.starts_with("[]")) {
        json::value& list = message[field.name];
        if (!list.is_array()) list.emplace_array();
        list.get_array().push_back(value(type.substr(2), wire, depth));
    } else {
        json::value one = value(type, wire, depth);
        if (!is_left_out(type, wire, one)) message[field.name] = std::move(one);
    }
}

json::object Decoder::message(std::string_view name, std::string_view bytes, int depth) {
    json::object found;
    if (depth > depth_max) complaint_ = "the protobuf is nested too deep";
    Reader reader(bytes);
    RawField wire;
    while (complaint_.empty() && reader.next(wire)) {
        if (const auto field = protobuf_field(name, wire.number)) {
            add(found, *field, wire, depth);
        } else if (!wire.is_empty()) {
            complaint_ = fmt::format(
                "field {} of {} is not among those that are read as protobuf; JSON and YAML are "
                "read whole, as with kubectl create -f",
                wire.number, name);
        }
    }
    if (reader.is_broken()) complaint_ = "the protobuf is cut short";
    return found;
}

}  // namespace

// The envelope: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2.
std::expected<json::object, std::string> from_protobuf(std::string_view body) {
    if (!body.starts_with(magic)) return std::unexpected("this is not Kubernetes' protobuf");
    body.remove_prefix(magic.size());
    const Text type = text_field(body, 1);
    const Text kind = text_field(type, 2);
    if (!is_protobuf_message(kind))
        return std::unexpected(
            fmt::format("{} is not among the kinds that are read as protobuf", kind));
    Decoder decoder;
    json::object object = decoder.message(kind, text_field(body, 2));
    if (!decoder.complaint().empty()) return std::unexpected(decoder.complaint());
    object["apiVersion"] = text_field(type, 1);
    object["kind"] = kind;
    return object;
}

}  // namespace sluice::sim
