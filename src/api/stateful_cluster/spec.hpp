// The words of a StatefulCluster: members that are pods with identities of their own, which are
// never used again.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/gates/gates.hpp"
#include "api/revisions.hpp"
#include "base/field_error.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "engine/report.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::stateful_cluster {

extern const model::Resource resource;
extern const model::Resource claims;

// On pods and claims: the cluster that they are of, by name, and the identity.
inline constexpr std::string_view cluster_label = "sluice.dev/statefulcluster";
inline constexpr std::string_view member_label = "sluice.dev/member";
// On pods: whose claims they have, where these are not their own.
inline constexpr std::string_view claims_label = "sluice.dev/claims-of";
// On the cluster itself, while its claims are to go with it.
inline constexpr std::string_view finalizer = "sluice.dev/claims";

// A pod is called <name>-<16 hex>, and its name is its hostname.
inline constexpr std::size_t cluster_name_max = 46;
inline constexpr std::size_t selector_max = 16u << 10;  // as text, which the status repeats
inline constexpr int replicas_max = 100;  // their ledger is one object, and read as a whole

enum class Retention : std::uint8_t { Retain, Delete };
enum class Strategy : std::uint8_t { RollingUpdate, OnDelete };
enum class Order : std::uint8_t { OrderedReady, Parallel };
// Whose claims the successor of a member gets that is replaced by an update.
enum class ClaimPolicy : std::uint8_t { Keep, New };

// Whether pods get new images instead of successors.
enum class InPlace : std::uint8_t { Never, IfPossible, Only };

// What becomes of the claims of a member that leaves.
struct RetentionPolicy {
    Retention when_deleted = Retention::Retain;
    Retention when_scaled = Retention::Retain;
    Retention when_failed = Retention::Retain;  // and of any other that was replaced
};

struct ClaimTemplate {
    std::string name;
    std::string metadata;  // JSON of its labels and annotations; empty: none
    std::string spec;      // JSON
};

struct Spec {
    PodCount replicas{1};
    std::string selector;      // as a query says it
    model::Texts labels;       // that the selector asks for
    std::string pod_template;  // JSON, as it was written
    std::vector<ClaimTemplate> claim_templates;
    std::string service_name;
    Order order = Order::OrderedReady;
    Strategy strategy = Strategy::RollingUpdate;
    PodCount max_unavailable{1};
    PodCount partition{0};  // so many members stay as they are in an update
    ClaimPolicy claim_policy = ClaimPolicy::Keep;
    InPlace in_place = InPlace::Never;
    gates::Gates gates;  // of each step of an update
    RetentionPolicy retention;
    Duration min_ready{0};
    Duration failure_tolerance = 300s;
    Duration startup_deadline = 1800s;
    int revisions_max = 10;
};

// Every fault of the spec, with its path.
std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object);

// The revision that a template is: the same template of the same cluster, the same revision.
std::string revision_of(const model::CustomObject& object, const std::string& pod_template);

// The identity in the name of a member.
std::string_view identity_in(std::string_view member);
std::string claim_name(std::string_view cluster, std::string_view claim, std::string_view identity);

}  // namespace sluice::api::stateful_cluster
