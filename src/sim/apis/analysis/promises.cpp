// What an operator promises of AnalysisRuns that people make, and of the Jobs of any run.
#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/apis/analysis/api.hpp"
#include "sim/apis/analysis/objects.hpp"

namespace sluice::sim::analysis {
namespace {

// The promises of an API whose objects are of this kind judge what they own.
bool is_judged_by_its_owner(std::string_view kind, std::string_view resource) {
    return std::ranges::any_of(apis(), [&](const Api& api) {
        return !kind.empty() && api.kind == kind &&
               std::ranges::find(api.judged, resource) != api.judged.end();
    });
}

constexpr const char* serve_at = "/metadata/annotations/sluice.dev~1serve";

// S10: the status of runs that ask for it, and Jobs of runs.
void writes_status(const Promise& promise, const Change& change) {
    const json::object& run = change.object->object();
    const std::string& name = change.place.name;
    if (change.place.resource != runs || change.type == Change::Type::Deleted ||
        is_of_other_api(run))
        return;
    if (!change.before) return promise.broken("an operator made run {}, and nobody wants it", name);
    if (text_at(run, serve_at) != "true")
        promise.broken("an operator changed run {}, which is not for it", name);
    if (untouchable(change.before->object(), false) != untouchable(run, false))
        promise.broken("an operator changed more than the status of run {}", name);
}

// Made as it is, and taken away again.
void makes_jobs_of_runs(const Promise& promise, const Change& change) {
    if (change.place.resource != "jobs.batch") return;
    const json::object& job = change.object->object();
    const json::object& owner = object_at(job, "/metadata/ownerReferences/0");
    if (is_judged_by_its_owner(text_at(owner, "/kind"), change.place.resource)) return;
    const bool is_new = change.type == Change::Type::Added;
    const ObjectPtr run =
        promise.in.cluster.api().find(runs, change.place.ns, text_at(owner, "/name"));
    const bool is_ours = text_at(owner, "/kind") == "AnalysisRun" &&
                         (!is_new || (run && uid_in(run->object()) == text_at(owner, "/uid")));
    const bool goes = change.type == Change::Type::Deleted || is_terminating(job);
    if (!is_ours || (!is_new && !goes))
        promise.broken("an operator wrote Job {}, which is no run's", change.place.name);
}

// S11: by their UID, and when their own time is over.
void deletes_expired(const Promise& promise, const Change& change) {
    const json::object& run = change.object->object();
    if (change.place.resource != runs || change.type != Change::Type::Deleted) return;
    const std::string& name = change.place.name;
    if (!promise.in.history.is_named(uid_in(run)))
        promise.broken("run {} was deleted without naming its UID", name);
    else if (!is_expired(run, promise.now() + promise.in.skew) && !is_of_other_api(run))
        promise.broken("an operator deleted run {}", name);
}

constexpr Rule<> rules[] = {
    {.name = "S10", .on_own_change = writes_status},
    {.name = "S10", .on_own_change = makes_jobs_of_runs},
    {.name = "S11", .on_own_change = deletes_expired},
};

}  // namespace

bool is_finished(const json::object& run) {
    const std::string phase = text_at(run, "/status/phase");
    return !phase.empty() && phase != "Pending" && phase != "Running";
}

bool is_successful(const json::object& run) {
    return text_at(run, "/status/phase") == "Successful";
}

bool is_expired(const json::object& run, Instant now) {
    const auto end = parse_rfc3339(text_at(run, "/status/completedAt"));
    const json::object& ttl = object_at(run, "/spec/ttlStrategy");
    const char* after = is_successful(run) ? "/secondsAfterSuccess" : "/secondsAfterFailure";
    if (!has(ttl, after)) after = "/secondsAfterCompletion";
    return end && has(ttl, after) && *end + number_at(ttl, after) * 1s <= now;
}

bool is_of_other_api(const json::object& run) {
    return flag_at(run, "/metadata/ownerReferences/0/controller") &&
           is_judged_by_its_owner(text_at(run, "/metadata/ownerReferences/0/kind"), runs);
}

json::object untouchable(json::object run, bool may_end) {
    run.erase("status");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(run, std::string{"/metadata/"} + key);
    if (may_end) erase(run, "/spec/terminate");
    return run;
}

void promises(Observers& all, const Inspection& inspection) {
    add(all, rules, inspection);
}

}  // namespace sluice::sim::analysis
