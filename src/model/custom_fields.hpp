// Reads a custom object out of JSON that is being stepped through, for the decoders of this folder.
// What is not of the type that it should be, or is too large, throws simdjson_error.
#pragma once

#include "model/custom_object.hpp"
#include "model/json_fields.hpp"

namespace sluice::model::wire {

CustomObject read_custom_object(Value value, const Kept& kept);

}  // namespace sluice::model::wire
