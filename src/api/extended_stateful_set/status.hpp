// The status of an ExtendedStatefulSet: which versions there are, which one serves, which one is on
// its way, and how far it is. The number of a version is written down before anything is made of
// it, and never given again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/analysis/run.hpp"
#include "api/condition.hpp"
#include "api/gates/gates.hpp"
#include "api/jobs/job.hpp"
#include "api/status_head.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "model/custom_object.hpp"

namespace sluice::api::extended_stateful_set {

// What the template refers to, as it was seen last.
struct ConfigStatus {
    std::string digest;    // of all of it
    std::string versions;  // a checksum of the versions that it was made of
    Instant since;         // when the first change was seen that not all pods know of
    Instant changed;       // and the last one
    friend bool operator==(const ConfigStatus&, const ConfigStatus&) = default;
};

// On which ConfigMaps and Secrets a reference to the object may stand.
struct ReferenceBook {
    std::vector<std::string> names = {};  // "ConfigMap/app": written down before the reference is
    std::string marked = {};              // a checksum of those on which it stands
    std::string refusal = {};             // why the next one cannot be changed
    Instant refused = {};
    friend bool operator==(const ReferenceBook&, const ReferenceBook&) = default;
};

// Which claims there are: of the ordinals below these numbers, in each zone.
struct ClaimBook {
    std::string templates = {};  // a digest of what cannot change while there are some
    int made = 0;                // all of these have been made
    int highest = 0;             // none beyond has been, or is to be deleted
    int ever = 0;                // and of these there may be some, of pods that are gone, too
    int adjusted = 0;            // these are as they are to be, or were refused
    std::string shape = {};      // a digest of that
    std::string refusal = {};    // why one could not be adjusted
    Instant refused = {};        // when, since the first of them was looked at again
    friend bool operator==(const ClaimBook&, const ClaimBook&) = default;
};

// The Job around an upgrade that was asked for last.
struct JobStatus {
    std::string name;
    std::string occasion;  // which attempt at which upgrade, and whether before or after it
    std::string retry;     // what the annotation said then, as a digest
    jobs::Stage stage = jobs::Stage::Due;
    std::string message;  // why it has failed
    Instant started;
    friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

// The analysis of canaries that was looked at last.
struct AnalysisStatus {
    std::string run;       // its name
    std::string occasion;  // which attempt at which version it is about
    analysis::Phase phase = analysis::Phase::Pending;
    std::string message = {};  // of one that is over
    std::string promote = {};  // what the annotation said when it was inconclusive, as a digest
    bool accepted = false;     // inconclusive, and somebody went on
    friend bool operator==(const AnalysisStatus&, const AnalysisStatus&) = default;
};

struct Status : StatusHead {
    std::map<int, bool> versions;  // that are there: does a pod of it run?
    PodCount replicas;             // pods that are there, of all versions
    PodCount ready;
    PodCount updated;      // of the version that is wanted
    std::string selector;  // for the scale subresource
    int current = 0;       // the version that serves
    int previous = 0;      // the version that served before
    Instant serving;       // since when this one serves
    int update = 0;        // the version that is wanted
    int last = 0;          // the highest number that was given
    std::string digest;    // of the template of the wanted one
    std::string rollout;   // what the engine remembers of the last rollout
    PodCount exposed;      // pods of the wanted version that are to be there by now
    PodCount in_zone;      // pods in each zone, when these were counted
    Instant stepped;       // since when so many
    int attempts = 0;      // at the wanted version
    std::string failure;   // why the last one of them failed
    ConfigStatus config;
    ReferenceBook references;
    ClaimBook claims;
    // The names of what versions were made from, oldest first.
    std::vector<std::string> revisions;
    std::optional<JobStatus> job;
    std::optional<AnalysisStatus> analysis;
    gates::Remembered gates;
    Instant written;
    std::vector<Condition> conditions;  // Ready, Progressing
    friend bool operator==(const Status&, const Status&) = default;
};

Status read_status(const model::CustomObject& object);
// The JSON text of the whole status, the value to replace the old one with.
std::string write_status(const Status& status);

// The status without what follows from the pods by itself: what is left must be written before
// anything is made of it.
Status substance_of(Status status);

}  // namespace sluice::api::extended_stateful_set
