// What is promised of ExtendedJobs: what an operator makes for them, and how often it runs.
#include <algorithm>
#include <map>
#include <set>

#include "sim/api/state.hpp"
#include "sim/apis/extended_job/api.hpp"
#include "sim/apis/extended_job/objects.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_job {
namespace {

constexpr const char* owner_uid_at = "/metadata/ownerReferences/0/uid";
constexpr const char* pod_at = "/metadata/annotations/sluice.dev~1affected-pod";

bool is_controlled(const json::object& object) {
    return text_at(object, "/metadata/ownerReferences/0/kind") == "ExtendedJob" &&
           flag_at(object, "/metadata/ownerReferences/0/controller");
}

// The ExtendedJob that it is of; null: there is none with that UID.
ObjectPtr owner_of(const Promise& promise, const json::object& object) {
    ObjectPtr found =
        promise.in.cluster.api().find(extended_jobs, text_at(object, "/metadata/namespace"),
                                      text_at(object, "/metadata/ownerReferences/0/name"));
    return found && uid_in(found->object()) == text_at(object, owner_uid_at) ? found : nullptr;
}

bool has_owner(const Promise& promise, const json::object& object) {
    return owner_of(promise, object) ||
           promise.in.history.has_just_gone(text_at(object, owner_uid_at));
}

// S10, S11: Jobs are made as they are and deleted by their UID; the strategy is set back, and
// never to anything else.
void makes_jobs(const Promise& promise, const Change& change) {
    const json::object& object = change.object->object();
    const std::string& name = change.place.name;
    if (change.place.resource == extended_jobs && change.before) {
        const std::string before = text_at(change.before->object(), strategy_at);
        const std::string now = text_at(object, strategy_at);
        const bool is_set_back =
            (before == "now" && now == "manual") || (before == "once" && now == "done");
        if (before != now && !is_set_back)
            promise.broken("an operator changed the strategy of {} to {}", name, now);
    }
    if (change.place.resource != jobs || !is_controlled(object)) return;
    promise.tested();
    const bool is_new = change.type == Change::Type::Added;
    const bool goes = change.type == Change::Type::Deleted || is_terminating(object);
    if (!is_new && !goes) promise.broken("an operator changed Job {}", name);
    if (is_new && !has_owner(promise, object))
        promise.broken("an operator made Job {} for nobody", name);
    if (goes && !promise.in.history.is_named(uid_in(object)))
        promise.broken("an operator deleted Job {} without naming its UID", name);
}

// S50: a run that somebody asks for happens at most once: no more runs than requests, each written
// down before its Job is made, and no Job twice.
class RunsOnce final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == extended_jobs) on_object(change, object);
        if (change.place.resource == jobs && is_controlled(object)) on_job(change, object);
    }

  private:
    struct Known {
        std::int64_t asked = 0;
        std::set<std::string> begun = {};  // by their Jobs; those for pods are S51's
    };

    static bool asks(const json::object& object) {
        const std::string strategy = text_at(object, strategy_at);
        return strategy == "now" || strategy == "once";
    }

    void on_object(const Change& change, const json::object& object) {
        Known& known = known_[uid_in(object)];
        if (change.user != operator_user) {
            const bool did =
                change.before && asks(change.before->object()) &&
                text_at(change.before->object(), strategy_at) == text_at(object, strategy_at);
            const bool forgets = change.before && has(change.before->object(), "/status/runs") &&
                                 !has(object, "/status/runs");
            if (asks(object) && (!did || forgets)) ++known.asked;
            // Who takes the status away takes the memory of what was made, too.
            if (forgets)
                std::erase_if(made_, [&](const auto& one) { return one.first == uid_in(object); });
            return;
        }
        for (const json::value& run : array_at(object, "/status/active"))
            if (!has(run.get_object(), "/pod"))
                known.begun.insert(text_at(run.get_object(), "/job"));
        if (std::ssize(known.begun) > known.asked)
            broken("{} runs of {} were begun, and {} were asked for", known.begun.size(),
                   change.place.name, known.asked);
    }

    void on_job(const Change& change, const json::object& job) {
        const std::pair made{text_at(job, owner_uid_at), change.place.name};
        // Whoever takes a Job away may have it made again.
        if (change.type == Change::Type::Deleted && change.user != operator_user) made_.erase(made);
        if (change.type != Change::Type::Added || change.user != operator_user) return;
        tested();
        if (!made_.insert(made).second) broken("Job {} was made twice", change.place.name);
        const ObjectPtr owner = owner_of(*this, job);
        if (!owner) return;
        for (const json::value& run : array_at(owner->object(), "/status/active"))
            if (text_at(run.get_object(), "/job") == change.place.name) return;
        if (has(owner->object(), "/status/runs"))
            broken("Job {} was made, and is not written down", change.place.name);
    }

    std::map<std::string, Known> known_;                  // by UID
    std::set<std::pair<std::string, std::string>> made_;  // UID of the owner, name
};

// S51: a Job runs for a pod that is or was there in the same namespace and is no Job's, once for
// each pod and state.
class OncePerPod final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == "pods" && change.type == Change::Type::Added)
            pods_[uid_in(object)] = {change.place.ns, has(object, "/metadata/labels/job-name")};
        if (change.place.resource == extended_jobs) on_object(change, object);
        if (change.place.resource == jobs && is_controlled(object) && has(object, pod_at) &&
            change.type == Change::Type::Added)
            is_written_down(change, object);
    }

  private:
    struct Pod {
        std::string ns;
        bool is_of_job = false;
    };

    void on_object(const Change& change, const json::object& object) {
        auto& planned = planned_[uid_in(object)];
        const std::string state = text_at(object, "/status/podState");
        if (!has(object, "/status/runs")) planned = {};
        // What runs for the state before was begun before.
        if (planned.state != state) planned.number_of.clear();
        planned.state = state;
        if (change.user != operator_user) return;
        for (const json::value& run : array_at(object, "/status/active")) {
            const std::string pod = text_at(run.get_object(), "/pod");
            if (pod.empty() || !planned.runs.insert(number_at(run.get_object(), "/number")).second)
                continue;
            tested();
            if (++planned.number_of[uid_of(object, pod)] > 1)
                broken("a second run for pod {} of {} was begun", pod, change.place.name);
            const auto known = pods_.find(uid_of(object, pod));
            if (known == pods_.end() || known->second.ns != change.place.ns)
                broken("a run of {} was begun for a pod of nowhere, {}", change.place.name, pod);
            else if (known->second.is_of_job)
                broken("a run of {} was begun for {}, a pod of a Job", change.place.name, pod);
        }
    }

    // The last pod of that name.
    static std::string uid_of(const json::object& object, const std::string& pod) {
        std::string uid;
        for (const json::value& one : array_at(object, "/status/handledPods"))
            if (text_at(one.get_object(), "/pod") == pod) uid = text_at(one.get_object(), "/uid");
        return uid;
    }

    void is_written_down(const Change& change, const json::object& job) {
        const ObjectPtr owner = owner_of(*this, job);
        if (owner && uid_of(owner->object(), text_at(job, pod_at)).empty() &&
            has(owner->object(), "/status/runs"))
            broken("Job {} was made for a pod that is not written down", change.place.name);
    }

    struct Planned {
        std::string state = {};
        std::set<std::int64_t> runs = {};
        std::map<std::string, int> number_of = {};
    };
    std::map<std::string, Pod> pods_;         // by UID
    std::map<std::string, Planned> planned_;  // by the UID of the ExtendedJob
};

// S52: what a Job prints stands in the Secrets of its ExtendedJob and nowhere else, and no other
// Secret of a namespace with workloads is written.
void keeps_output(const Promise& promise, const Change& change) {
    const json::object& object = change.object->object();
    if (change.place.resource != "secrets") {
        if (change.object->text().contains(printed_secret))
            promise.broken("what a Job printed is in {} {}", change.place.resource,
                           change.place.name);
        return;
    }
    if (change.place.ns == "sluice-system") return;
    promise.tested();
    const bool was_ours = !change.before || is_controlled(change.before->object());
    if (!was_ours && keeps_data(change)) return;
    if (change.type == Change::Type::Deleted || !was_ours || !is_controlled(object))
        return promise.broken("an operator wrote Secret {}", change.place.name);
    const ObjectPtr owner = owner_of(promise, object);
    if (!owner && !has_owner(promise, object))
        promise.broken("an operator wrote Secret {} for nobody", change.place.name);
    if (owner &&
        !change.place.name.starts_with(text_at(owner->object(), "/spec/output/namePrefix")))
        promise.broken("an operator wrote Secret {}, which nobody asked for", change.place.name);
}

void logs_no_output(const Promise& promise, const controller::Log& line) {
    if (line.text.contains(printed_secret)) promise.broken("what a Job printed is in a log line");
}

constexpr Rule<> rules[] = {
    {.name = "S10", .on_own_change = makes_jobs},
    {.name = "S52", .on_own_change = keeps_output, .on_log = logs_no_output},
};

}  // namespace

void promises(Observers& all, const Inspection& inspection) {
    add<RunsOnce>(all, "S50", inspection);
    add<OncePerPod>(all, "S51", inspection);
    add(all, rules, inspection);
}

}  // namespace sluice::sim::extended_job
