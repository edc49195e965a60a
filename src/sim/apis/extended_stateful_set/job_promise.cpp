// What is promised of the Jobs around an upgrade.
#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/api/state.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr const char* job_at = "/status/upgradeJob/name";

bool is_of_upgrade(const json::object& job) {
    return text_at(job, "/metadata/ownerReferences/0/kind") == "ExtendedStatefulSet" &&
           flag_at(job, "/metadata/ownerReferences/0/controller");
}

// Whoever wrote the status last knew the spec as it is now.
bool is_known_to_writer(const json::object& object) {
    return number_at(object, "/status/observedGeneration") ==
           number_at(object, "/metadata/generation");
}

// S46: a Job around an upgrade is written down before it is made, and made once. Where one is
// wanted before an upgrade, no pod of the new version is let go before it has succeeded; where one
// is wanted after it, the new version does not take over before.
class JobsFirst final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == jobs && is_of_upgrade(object)) on_job(change, object);
        if (change.place.resource != extended_sets || !change.before) return;
        const json::object& before = change.before->object();
        // Who takes the status away takes the memory of what was made, too.
        if (has(before, job_at) && !has(object, "/status/updateVersion"))
            made_.erase(uid_in(object));
        if (change.user == operator_user) written_[uid_in(object)].insert(text_at(object, job_at));
        if (change.user == operator_user && is_known_to_writer(object)) on_status(before, object);
    }

  private:
    void on_job(const Change& change, const json::object& job) {
        const std::string& name = change.place.name;
        const std::string owner_uid = text_at(job, owner_uid_at);
        if (has_condition(job, "Complete")) succeeded_.insert(owner_uid + name);
        const bool is_own = change.user == operator_user;
        // Whoever takes a Job away may have it made again.
        if (change.type == Change::Type::Deleted && !is_own) made_[owner_uid].erase(name);
        if (!is_own) return;
        tested();
        if (change.type != Change::Type::Added) return broken("an operator changed Job {}", name);
        if (!made_[owner_uid].insert(name).second) broken("Job {} was made twice", name);
        const ObjectPtr owner = in.cluster.api().find(
            extended_sets, change.place.ns, text_at(job, "/metadata/ownerReferences/0/name"));
        const bool is_there = owner && uid_in(owner->object()) == owner_uid;
        if (!is_there && !in.history.has_just_gone(owner_uid))
            broken("Job {} was made for nobody", name);
        if (is_there && !written_[owner_uid].contains(name))
            broken("Job {} was made, and is not written down", name);
    }

    void on_status(const json::object& before, const json::object& now) const {
        const std::int64_t update = number_at(now, "/status/updateVersion");
        const bool is_same_update = update == number_at(before, "/status/updateVersion");
        const bool begins = is_same_update && number_at(now, "/status/exposed") > 0 &&
                            number_at(before, "/status/exposed") == 0;
        const std::int64_t current = number_at(before, "/status/currentVersion");
        const bool takes_over = is_same_update && current > 0 && current != update &&
                                number_at(now, "/status/currentVersion") == update;
        if (begins && has(now, "/spec/updateStrategy/preUpgrade"))
            must_have_succeeded(now, fmt::format("-v{}-pre-", update));
        if (takes_over && has(now, "/spec/updateStrategy/postUpgrade"))
            must_have_succeeded(now, fmt::format("-v{}-post-", update));
    }

    void must_have_succeeded(const json::object& object, const std::string& part) const {
        tested();
        const std::string job = text_at(object, job_at);
        if (!job.contains(part) || !succeeded_.contains(uid_in(object) + job))
            broken("the upgrade of {} goes on, and no Job {} has succeeded", name_in(object), part);
    }

    std::map<std::string, std::set<std::string>> written_;  // by the UID of the owner
    std::map<std::string, std::set<std::string>> made_;     // likewise
    std::set<std::string> succeeded_;                       // UID of the owner, name
};

}  // namespace

void job_promises(Observers& all, const Inspection& inspection) {
    add<JobsFirst>(all, "S46", inspection);
}

}  // namespace sluice::sim::extended_stateful_set
