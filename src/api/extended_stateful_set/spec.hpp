// The words of an ExtendedStatefulSet: a StatefulSet of which each change of the template is a
// version of its own, beside the one before it until that is not needed any more.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/analysis/call.hpp"
#include "api/extended_stateful_set/references.hpp"
#include "api/extended_stateful_set/volumes.hpp"
#include "api/gates/gates.hpp"
#include "base/field_error.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::extended_stateful_set {

extern const model::Resource resource;

// On StatefulSets and pods: the name of the ExtendedStatefulSet that they are of.
inline constexpr std::string_view owner_label = "sluice.dev/extendedstatefulset";
// A label of StatefulSets and pods, and an annotation of the former, as in the original.
inline constexpr std::string_view version_key = "fissile.cloudfoundry.org/version";
// An annotation of a StatefulSet whose version has failed: why.
inline constexpr std::string_view stale_key = "fissile.cloudfoundry.org/stale";
// An annotation of a StatefulSet: a digest of the template that it was made from.
inline constexpr std::string_view template_key = "sluice.dev/template-digest";
// Labels of StatefulSets and pods in a zone, and an annotation of both that names all zones.
inline constexpr std::string_view zone_index_key = "fissile.cloudfoundry.org/az-index";
inline constexpr std::string_view zone_name_key = "fissile.cloudfoundry.org/az-name";
inline constexpr std::string_view zones_key = "fissile.cloudfoundry.org/zones";
// Set by people, on the ExtendedStatefulSet: the number of a version that nobody wants.
inline constexpr std::string_view abort_key = "sluice.dev/abort";

// The pods of <name>-v<version> get labels with the name of their StatefulSet and eleven characters
// of a hash; in zones they are called <name>-z<zone>-v<version>.
inline constexpr std::size_t name_length_max = 42;
inline constexpr std::size_t zoned_name_length_max = 38;
inline constexpr std::size_t zones_max = 64;
// An annotation of a StatefulSet and of its pods: a keyed digest of what they read.
inline constexpr std::string_view config_key = "fissile.cloudfoundry.org/configsha1";
// Of the ExtendedStatefulSet, while ConfigMaps or Secrets may say that they are owned by it.
inline constexpr std::string_view finalizer = "fissile.cloudfoundry.org/finalizer";
// Two names of one field: pods are restarted when what they read has changed.
inline constexpr const char* config_fields[] = {"updateOnEnvChange", "updateOnConfigChange"};
inline constexpr int replicas_max = 1000;  // also of all zones together

struct Scaling {
    std::optional<int> min = {};
    std::optional<int> max = {};
    bool odd_only = false;

    // The nearest number that is allowed.
    int nearest(int wanted) const;
    bool allows(int wanted) const { return nearest(wanted) == wanted; }
};

// Availability zones, each with a StatefulSet of its own for every version.
struct Zones {
    std::vector<std::string> names = {};  // empty: there is one StatefulSet, anywhere
    std::string node_label = "topology.kubernetes.io/zone";

    int count() const { return names.empty() ? 1 : static_cast<int>(names.size()); }
};

// A Job that must end well: it is the one of an ExtendedJob, or has a template of its own.
struct UpgradeJob {
    std::string extended_job = {};
    std::string pod_template = {};  // JSON; where it names no ExtendedJob
    Duration deadline = 600s;
};

struct Strategy {
    int canaries = 1;
    int retry_count = 0;
    bool update_not_ready = false;
    Duration canary_time{0};          // so long canaries are to be ready
    Duration canary_deadline = 600s;  // and by then
    Duration scale_down_delay{0};     // the version before stays so long, once another one serves
    bool keeps_stale = false;         // the pods of a version that has failed
    gates::Gates gates;
    std::optional<analysis::AnalysisCall> analysis = {};  // of the canaries
    std::optional<UpgradeJob> before = {};                // the first pod of another version
    std::optional<UpgradeJob> after = {};                 // its last one, before it serves alone

    // Somebody wants to be asked.
    bool is_guarded() const { return gates.are_any() || analysis || before || after; }
};

struct Spec {
    PodCount replicas;          // in each zone, as far as the scaling allows
    std::optional<int> wanted;  // what the template says
    Scaling scaling;
    Zones zones;
    Strategy strategy;
    Volumes volumes;
    bool is_ordered = true;  // one pod is made after the other
    Duration min_ready{0};
    int revisions_max = 10;                  // of versions that are gone
    std::vector<Reference> references = {};  // whose changes are followed
    std::string set;  // JSON: the template, a whole StatefulSet, without replicas and claims

    // In all zones.
    PodCount pods() const { return {replicas.value * zones.count()}; }
    // Only one version at a time may have the claims of an ordinal.
    bool hands_over() const { return volumes.are_handed_over(); }
};

// Every fault of the spec, with its path.
std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object);

// The same template of the same object in the same zones, the same digest; how many pods there are
// and how large their claims are is no part of it.
std::string digest_of(const model::CustomObject& object, const Spec& spec);

// "v3": what the engine calls a version.
std::string revision_of(int version);
// The version of that name; 0: it is none.
int version_in(std::string_view revision);
// Of an annotation or a label; 0: it is none.
int version_text(std::string_view text);

// Which StatefulSet of an ExtendedStatefulSet it is.
struct SetId {
    int version = 0;
    std::optional<int> zone = {};  // nothing: the version has no zones
    friend bool operator==(const SetId&, const SetId&) = default;
};
// Ordinals that a StatefulSet has.
struct Places {
    int first = 0;
    int count = 0;

    int end() const { return first + count; }
    bool has(int ordinal) const { return ordinal >= first && ordinal < end(); }
    bool has(const Places& others) const {
        return others.count == 0 || (others.first >= first && others.end() <= end());
    }
    friend bool operator==(const Places&, const Places&) = default;
};
std::string set_name(std::string_view owner, const SetId& id);
// Nothing: a set of that owner is not called so.
std::optional<SetId> set_id(std::string_view owner, std::string_view name);

}  // namespace sluice::api::extended_stateful_set
