// The owners of a ConfigMap or a Secret, as JSON: put in are a reference to an ExtendedStatefulSet
// and one to the Namespace, which keeps the object from being collected. Nobody else's entry is
// touched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/custom_object.hpp"

namespace sluice::api::extended_stateful_set {

inline constexpr model::Resource namespaces{"", "v1", "namespaces", "Namespace", true};

// Both references are there.
bool is_marked(std::string_view list, const model::CustomObject& object);

// The list with both; or without the one to the object and, where no other ExtendedStatefulSet is
// left, without the other. Nothing: it is so already, or cannot be read.
std::optional<std::string> with_owner(std::string_view list, const model::CustomObject& object,
                                      const std::string& namespace_uid);
std::optional<std::string> without_owner(std::string_view list, const model::CustomObject& object);

}  // namespace sluice::api::extended_stateful_set
