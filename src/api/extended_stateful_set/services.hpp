// Services that follow the version that serves: an annotation of theirs names the
// ExtendedStatefulSet, and their selector gets the version, in one write each. What else they
// select by is left alone, and so is every Service without that annotation.
#pragma once

#include <string_view>

#include "engine/decision.hpp"
#include "model/custom_object.hpp"
#include "model/ref.hpp"

namespace sluice::api::extended_stateful_set {

// Each of them is looked at before a version goes that it may select.
inline constexpr std::size_t services_max = 64;

// Set by people, on a Service.
inline constexpr std::string_view serves_key = "sluice.dev/serves";

// The ExtendedStatefulSet that it follows; without a name: none.
model::Ref followed_by(const model::CustomObject& service);
// Takes all from it but its selector.
void trim_service(model::CustomObject& service);

// One without a selector has endpoints that somebody else makes: it cannot be switched.
bool has_selector(const model::CustomObject& service);
// It finds the pods of this version and of no other one.
bool selects(const model::CustomObject& service, int version);

// Only while its selector is as it was seen.
engine::Action switch_to(const model::CustomObject& service, int version);

}  // namespace sluice::api::extended_stateful_set
