// A StatefulSet as far as decisions need it: the fields that steer a rollout, the labels and
// annotations that concern us, and the status counts. Everything else is dropped while decoding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/object.hpp"

namespace sluice::model {

enum class UpdateStrategy : std::uint8_t { RollingUpdate, OnDelete, Unknown };

using Texts = std::map<std::string, std::string>;

struct StatefulSet {
    ObjectMeta meta;
    std::string owner = {};      // the object that controls it, by name; empty: none
    std::string owner_uid = {};  // and by UID
    std::string owner_kind = {};
    Texts labels;                     // only those that are Kept
    Texts annotations;                // the same, cut
    bool has_annotations = false;     // any at all, also those that were dropped
    std::uint64_t template_hash = 0;  // of spec.template as the server wrote it
    bool annotates_pods = false;      // there are annotations in it
    PodCount replicas{1};
    Ordinal start{0};
    Duration min_ready{0};
    UpdateStrategy strategy = UpdateStrategy::RollingUpdate;
    std::optional<Partition>
        partition;  // nothing: there is no rollingUpdate block, Kubernetes reads 0
    bool limits_unavailable = false;  // that block holds maxUnavailable too
    std::string partition_owner;      // its field manager, if the set is claimed and that is not us

    std::int64_t observed_generation = 0;
    std::string current_revision;
    std::string update_revision;

    friend bool operator==(const StatefulSet&, const StatefulSet&) = default;
};

inline constexpr std::string_view field_manager = "sluice";  // under which we write

// What Kubernetes acts on: an absent rollingUpdate block means zero.
Partition effective_partition(const StatefulSet& set);
// The value of an annotation, or an empty text.
const std::string& annotation(const StatefulSet& set, std::string_view key);
// A set whose status speaks of an older spec says nothing about this one.
bool has_current_status(const StatefulSet& set);

}  // namespace sluice::model
