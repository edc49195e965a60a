// The numbers of the fields of Kubernetes' protobuf messages, for those that kubectl creates.
#pragma once

#include <optional>
#include <string_view>

namespace sluice::sim {

// Types: "string", "int", "bool", "map" (text by text), "bytes" (bytes by text), "quantities",
// "time", "intstr", "-" (what the server sets itself), or the name of a message. "[]" before: a
// list. "?" behind: zero counts as set.
struct ProtobufField {
    std::string_view name;
    int number = 0;
    std::string_view type = "string";
};

// Nothing if the message has no such field, as far as we know.
std::optional<ProtobufField> protobuf_field(std::string_view message, int number);
bool is_protobuf_message(std::string_view message);

}  // namespace sluice::sim
