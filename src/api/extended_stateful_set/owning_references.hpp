// Owner references: ConfigMaps and Secrets that pods read say that an ExtendedStatefulSet owns
// them, beside others, as in the original. Nobody loses one by that. Next to our reference stands
// one to the Namespace, which is there as long as they are: whatever becomes of the
// ExtendedStatefulSet, the garbage collector takes a reference away and never the object.
//
// The finalizer is there, and the name is written down, before the first reference is; both go when
// a live read has shown that none is left.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/extended_stateful_set/owner_list.hpp"
#include "api/extended_stateful_set/spec.hpp"
#include "api/extended_stateful_set/status.hpp"
#include "api/registry.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::extended_stateful_set {

inline constexpr std::string_view references_words[] = {"on", "off"};
inline constexpr Choice references_choice{
    .flag = "--extendedstatefulset-references",
    .help =
        "Whether ConfigMaps and Secrets that an ExtendedStatefulSet follows get an owner reference "
        "to it; off takes those away that are there, and the finalizer",
    .words = references_words,
    .second = &engine::Environment::marks_no_owners};

// "ConfigMap/app".
std::string reference_name(const model::Ref& ref);
// Nothing: it is no such name.
std::optional<model::Ref> reference_ref(std::string_view name, const std::string& ns);

// What is to be done for the references next, once nothing else is to be done.
struct ReferenceWork {
    ReferenceBook book = {};                   // if it differs: written down first
    std::vector<engine::Action> actions = {};  // each of its own
    std::vector<model::Ref> rests_on = {};     // to be read before
    std::optional<Instant> wake_at = {};
};
ReferenceWork reference_work(const engine::Snapshot& seen, const Spec& spec, ReferenceBook book,
                             Instant now);
// The book with the names that the template has, as far as there is room.
ReferenceBook with_names(ReferenceBook book, const engine::Snapshot& seen, const Spec& spec);

// The ExtendedStatefulSet is being deleted: its references are taken away, and then the finalizer.
engine::Decision disown(const engine::Snapshot& seen, Instant now);

}  // namespace sluice::api::extended_stateful_set
