// What is promised of the AnalysisRuns that judge canaries.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "sim/api/state.hpp"
#include "sim/apis/analysis/objects.hpp"
#include "sim/apis/extended_stateful_set/api.hpp"
#include "sim/apis/extended_stateful_set/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim::extended_stateful_set {
namespace {

constexpr const char* run_name_at = "/status/analysis/run";
constexpr const char* call_at = "/spec/updateStrategy/gates/analysis";

bool is_run_of_upgrade(const json::object& run) {
    return text_at(run, "/metadata/ownerReferences/0/kind") == "ExtendedStatefulSet" &&
           flag_at(run, "/metadata/ownerReferences/0/controller");
}

// S48: where canaries are analysed, no more pods of the new version are let go, and it does not
// take over, before the run of this attempt has ended well, or a person has put up with it. A run
// is made once; nothing of it is changed but its status and the word that ends it; it is deleted
// only once it is over.
class CanariesAreJudged final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const json::object& object = change.object->object();
        if (change.place.resource == analysis::runs && is_run_of_upgrade(object))
            on_run(change, object);
        const bool is_known = number_at(object, "/status/observedGeneration") ==
                              number_at(object, "/metadata/generation");
        if (change.place.resource == extended_sets && change.before &&
            change.user == operator_user && is_known)
            on_status(change.before->object(), object);
    }

  private:
    void on_run(const Change& change, const json::object& run) {
        const std::string& name = change.place.name;
        const std::string key = text_at(run, owner_uid_at) + name;
        const bool is_own = change.user == operator_user;
        const bool is_deleted = change.type == Change::Type::Deleted;
        if (analysis::is_successful(run) && !flag_at(run, "/spec/terminate")) good_.insert(key);
        if (text_at(run, "/status/phase") == "Inconclusive") unclear_.insert(key);
        // Whoever takes a run away may have it made again.
        if (is_deleted && !is_own) made_.erase(key);
        if (!is_own) return;
        tested();
        if (is_deleted && !analysis::is_finished(run))
            broken("run {} was deleted, and is not over", name);
        if (is_deleted && !in.history.is_named(uid_in(run)))
            broken("run {} was deleted without naming its UID", name);
        if (is_deleted) return;
        if (change.before) return only_ended(change.before->object(), run, name);
        if (!made_.insert(key).second) broken("run {} was made twice", name);
        const ObjectPtr owner = in.cluster.api().find(
            extended_sets, change.place.ns, text_at(run, "/metadata/ownerReferences/0/name"));
        const std::string owner_uid = text_at(run, owner_uid_at);
        const bool is_there = owner && uid_in(owner->object()) == owner_uid;
        if (!is_there && !in.history.has_just_gone(owner_uid))
            broken("run {} was made for nobody", name);
    }

    void only_ended(const json::object& before, const json::object& now,
                    const std::string& name) const {
        const bool ends = !flag_at(before, "/spec/terminate") && flag_at(now, "/spec/terminate");
        if (analysis::untouchable(before, ends) != analysis::untouchable(now, ends))
            broken("an operator changed more than the status of run {}", name);
    }

    void on_status(const json::object& before, const json::object& now) const {
        if (!has(now, call_at)) return;
        const std::int64_t update = number_at(now, "/status/updateVersion");
        if (update != number_at(before, "/status/updateVersion")) return;
        const std::int64_t exposed = number_at(before, "/status/exposed");
        const std::int64_t wanted = has(now, "/spec/updateStrategy/canaries")
                                        ? number_at(now, "/spec/updateStrategy/canaries")
                                        : 1;
        const std::int64_t canaries = std::min(wanted, number_at(now, "/status/podsPerZone"));
        const bool goes_on =
            exposed > 0 && exposed >= canaries && number_at(now, "/status/exposed") > exposed;
        const std::int64_t current = number_at(before, "/status/currentVersion");
        const bool takes_over = exposed > 0 && current > 0 && current != update &&
                                number_at(now, "/status/currentVersion") == update;
        if (!goes_on && !takes_over) return;
        tested();
        const std::string run = text_at(now, run_name_at);
        const std::string key = uid_in(now) + run;
        boost::system::error_code broken_text;
        const json::value memory = json::parse(text_at(before, "/status/rollout"), broken_text);
        const std::int64_t attempt = memory.is_object() ? number_at(memory.get_object(), "/id") : 0;
        if (!text_at(now, "/status/analysis/occasion")
                 .starts_with(fmt::format("v{}/{}/", update, attempt)))
            broken("the upgrade of {} goes on upon run {} of another attempt", name_in(now), run);
        const bool is_accepted =
            unclear_.contains(key) && has(now, "/metadata/annotations/sluice.dev~1promote");
        if (!good_.contains(key) && !is_accepted)
            broken("the upgrade of {} goes on, and run {} did not end well", name_in(now), run);
    }

    std::set<std::string> made_;     // UID of the owner, name
    std::set<std::string> good_;     // the same
    std::set<std::string> unclear_;  // the same
};

}  // namespace

void analysis_promises(Observers& all, const Inspection& inspection) {
    add<CanariesAreJudged>(all, "S48", inspection);
}

}  // namespace sluice::sim::extended_stateful_set
