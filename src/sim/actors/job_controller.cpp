// Runs Jobs: enough pods at a time until enough have succeeded, or until too many have failed or
// the deadline is over. A finished Job goes away after ttlSecondsAfterFinished.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/actors/controller.hpp"

namespace sluice::sim {
namespace {

const std::string job_user = "system:serviceaccount:kube-system:job-controller";
const std::string expiry_user = "system:serviceaccount:kube-system:ttl-after-finished-controller";

bool is_finished(const json::object& job) {
    return has_condition(job, "Complete") || has_condition(job, "Failed");
}

std::optional<std::int64_t> wish(const json::object& job, std::string_view field) {
    const json::object& spec = child(job, "spec");
    if (!spec.contains(field) || spec.at(field).is_null()) return std::nullopt;
    return number_at(spec, field);
}

// New pods after a failure: 10 s, doubled with every failure, at most ten minutes.
Duration pause_after(std::int64_t failures) {
    return std::min<Duration>(10s * (1 << std::min<std::int64_t>(failures - 1, 6)), 10min);
}

json::object new_pod(const json::object& job) {
    const json::object& model = child(child(job, "spec"), "template");
    json::object meta = metadata(model);
    meta["generateName"] = std::string{name_of(job)} + "-";
    meta["namespace"] = key_of(job).ns;
    meta["ownerReferences"] = json::array{controller_reference(job)};
    json::object& labels = object_in(meta, "/labels");
    for (const char* key : {"batch.kubernetes.io/job-name", "job-name"})
        labels[key] = name_of(job);
    for (const char* key : {"batch.kubernetes.io/controller-uid", "controller-uid"})
        labels[key] = uid_of(job);
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", std::move(meta)},
            {"spec", child(model, "spec")}};
}

void add_condition(json::object& status, std::string_view type, std::string_view reason,
                   std::string_view message, Instant now) {
    array_in(status, "/conditions")
        .push_back({{"type", type},
                    {"status", "True"},
                    {"reason", reason},
                    {"message", message},
                    {"lastProbeTime", to_rfc3339(now)},
                    {"lastTransitionTime", to_rfc3339(now)}});
}

class JobController final : public Controller {
  public:
    JobController(Surroundings at, const OwnerIndex& owners) : Controller(at), owners_(owners) {}

    void on_change(const Change& change) override {
        if (change.place.resource == "jobs.batch") {
            if (change.type == Change::Type::Deleted)
                counted_.erase(std::string{uid_of(change.object->object())});
            queue_.add({change.place.ns, change.place.name});
        } else if (change.place.resource == "pods") {
            const json::object* owner = controller_of(change.object->object());
            if (owner && text(*owner, "kind") == "Job")
                queue_.add({change.place.ns, std::string{text(*owner, "name")}});
        }
    }

  private:
    // What the status does not tell: which pods are counted in it.
    struct Counted {
        std::set<std::string> uids = {};
        Instant last_failure = {};
    };
    struct Tally {
        std::vector<ObjectPtr> active = {};
        std::int64_t ready = 0, succeeded = 0, failed = 0;
    };
    struct Verdict {
        std::string_view type;  // Complete or Failed
        std::string_view reason;
        std::string_view message;
    };

    bool reconcile(const Key& key) override {
        const ObjectPtr stored = at_.api.find("jobs.batch", key.ns, key.name);
        if (!stored || is_terminating(stored->object())) return true;
        const json::object& job = stored->object();
        if (is_finished(job)) {
            expire(key, job);
            return true;
        }
        Tally now = tally(job, counted_[std::string{uid_of(job)}]);
        const auto end = verdict(job, now);
        if (!end) return go_on(key, job, now) && write_status(job, now, end);
        const bool is_cleared = remove_pods(now.active, now.active.size());
        now.active.clear();
        now.ready = 0;
        return write_status(job, now, end) && is_cleared;
    }

    // What the status said before, and the pods that have ended since.
    Tally tally(const json::object& job, Counted& counted) {
        const json::object& status = child(job, "status");
        Tally now;
        now.succeeded = number_at(status, "/succeeded");
        now.failed = number_at(status, "/failed");
        for (const ObjectPtr& pod : owners_.controlled(at_.api, uid_of(job), "pods")) {
            const json::object& pod_status = child(pod->object(), "status");
            const std::string_view phase = text(pod_status, "phase");
            const bool has_succeeded = phase == "Succeeded", has_failed = phase == "Failed";
            if (!has_succeeded && !has_failed) {
                if (is_terminating(pod->object())) continue;
                now.ready += holds(pod_status, "Ready");
                now.active.push_back(pod);
                continue;
            }
            if (!counted.uids.insert(std::string{uid_of(pod->object())}).second) continue;
            now.succeeded += has_succeeded;
            now.failed += has_failed;
            if (has_failed) counted.last_failure = at_.now();
        }
        return now;
    }

    std::optional<Verdict> verdict(const json::object& job, const Tally& now) const {
        if (now.failed > wish(job, "backoffLimit").value_or(6))
            return Verdict{"Failed", "BackoffLimitExceeded",
                           "Job has reached the specified backoff limit"};
        const auto started = parse_rfc3339(text(child(job, "status"), "startTime"));
        const auto deadline = wish(job, "activeDeadlineSeconds");
        if (started && deadline && *started + std::chrono::seconds{*deadline} <= at_.now())
            return Verdict{"Failed", "DeadlineExceeded",
                           "Job was active longer than specified deadline"};
        const auto completions = wish(job, "completions");
        const bool is_done =
            completions ? now.succeeded >= *completions : now.succeeded > 0 && now.active.empty();
        if (is_done)
            return Verdict{"Complete", "CompletionsReached",
                           "Reached expected number of succeeded pods"};
        return std::nullopt;
    }

    bool go_on(const Key& key, const json::object& job, Tally& now) {
        const auto completions = wish(job, "completions");
        const std::int64_t parallelism = wish(job, "parallelism").value_or(1);
        const auto active = static_cast<std::int64_t>(now.active.size());
        std::int64_t wanted = parallelism;
        if (completions)
            wanted = std::min(parallelism, *completions - now.succeeded);
        else if (now.succeeded > 0)
            wanted = std::min(parallelism, active);
        if (is_set(child(job, "spec"), "suspend")) wanted = 0;
        if (const auto deadline = wish(job, "activeDeadlineSeconds")) {
            const auto started = parse_rfc3339(text(child(job, "status"), "startTime"));
            queue_.add_at(key, started.value_or(at_.now()) + std::chrono::seconds{*deadline});
        }
        if (active > wanted)
            return remove_pods(now.active, static_cast<std::size_t>(active - wanted));
        if (active < wanted) return create_pods(key, job, wanted - active, now);
        return true;
    }

    bool create_pods(const Key& key, const json::object& job, std::int64_t count,
                     const Tally& now) {
        if (now.failed > 0) {
            const Instant from =
                counted_[std::string{uid_of(job)}].last_failure + pause_after(now.failed);
            if (from > at_.now()) {
                queue_.add_at(key, from);
                return true;
            }
        }
        for (std::int64_t i = 0; i < count; ++i)
            if (!went(at_.api.create(new_pod(job), job_user, at_.now()))) return false;
        return true;
    }

    bool remove_pods(const std::vector<ObjectPtr>& pods, std::size_t count) {
        bool all_went = true;
        for (const ObjectPtr& pod : pods) {
            if (count-- == 0) break;
            const Key key = key_of(pod->object());
            all_went &= went(at_.api.remove("pods", key.ns, key.name, job_user, at_.now()));
        }
        return all_went;
    }

    bool write_status(const json::object& job, const Tally& now,
                      const std::optional<Verdict>& end) {
        json::object status = child(job, "status");
        // Pods that were created in this run are counted in the next one, when they are seen.
        const auto put = [&](const char* key, std::int64_t value) {
            if (value != 0 || status.contains(key)) status[key] = value;
        };
        put("active", static_cast<std::int64_t>(now.active.size()));
        put("ready", now.ready);
        put("succeeded", now.succeeded);
        put("failed", now.failed);
        if (!status.contains("startTime") && !is_set(child(job, "spec"), "suspend"))
            status["startTime"] = to_rfc3339(at_.now());
        if (end) {
            const bool is_complete = end->type == "Complete";
            add_condition(status, is_complete ? "SuccessCriteriaMet" : "FailureTarget", end->reason,
                          end->message, at_.now());
            add_condition(status, end->type, end->reason, end->message, at_.now());
            if (is_complete) status["completionTime"] = to_rfc3339(at_.now());
        }
        status["uncountedTerminatedPods"] = json::object{};
        if (status == child(job, "status")) return true;
        return went(
            at_.api.update(with_status(job, std::move(status)), job_user, at_.now(), "status"));
    }

    void expire(const Key& key, const json::object& job) {
        const auto ttl = wish(job, "ttlSecondsAfterFinished");
        const json::object& status = child(job, "status");
        const json::object* end =
            condition(status, has_condition(job, "Failed") ? "Failed" : "Complete");
        const auto since = parse_rfc3339(text(*end, "lastTransitionTime"));
        if (!ttl || !since) return;
        const Instant due = *since + std::chrono::seconds{*ttl};
        if (due > at_.now()) return queue_.add_at(key, due);
        at_.api.remove("jobs.batch", key.ns, key.name, expiry_user, at_.now(),
                       {.propagation = "Foreground", .uid = std::string{uid_of(job)}});
    }

    const OwnerIndex& owners_;
    std::map<std::string, Counted> counted_;  // by the Job's UID
};

}  // namespace

std::unique_ptr<Controller> make_job_controller(Surroundings at, const OwnerIndex& owners) {
    return std::make_unique<JobController>(at, owners);
}

}  // namespace sluice::sim
