// The part of ExtendedJobs in random worlds.
#include "sim/api/state.hpp"
#include "sim/apis/extended_job/api.hpp"
#include "sim/apis/extended_job/objects.hpp"
#include "sim/promises/history.hpp"
#include "sim/world/chaos.hpp"

namespace sluice::sim::extended_job {
namespace {

constexpr const char* name = "errand";
constexpr const char* strategies[] = {"manual", "now", "now", "once", "done", "podstate"};
constexpr const char* states[] = {"ready", "notready", "created", "deleted"};
constexpr const char* prints[] = {R"({"token": "$PRINTED"})", "no JSON"};

ObjectPtr found(Chaos& chaos) {
    return chaos.world().cluster.api().find(extended_jobs, shop, name);
}

void make(Chaos& chaos) {
    FieldTexts wanted{{"strategy", strategies[chaos.below(std::size(strategies))]},
                      {"when", states[chaos.below(std::size(states))]}};
    if (chaos.chance(30)) wanted["behaves"] = "fail";
    if (chaos.chance(40)) {
        wanted["output"] = "errand-";
        wanted["prints"] = prints[chaos.below(std::size(prints))];
        wanted["on-failure"] = chaos.chance(50) ? "true" : "false";
    }
    chaos.did("create {} {}", name, wanted["strategy"]);
    create(chaos.world(), name, wanted);
}

void begin(Chaos& chaos) {
    if (chaos.chance(40)) make(chaos);
}

void ask(Chaos& chaos) {
    if (!found(chaos)) return;
    const std::string strategy = strategies[chaos.below(std::size(strategies))];
    chaos.did("{} is {}", name, strategy);
    set_strategy(chaos.world(), name, strategy);
}

void change(Chaos& chaos) {
    constexpr std::pair<const char*, const char*> edits[] = {
        {"when", "ready"},   {"when", "created"},   {"when", "deleted"},     {"behaves", "succeed"},
        {"behaves", "fail"}, {"prints", prints[0]}, {"prints", prints[1]},   {"output", "errand-"},
        {"output", "none"},  {"restart", "Never"},  {"restart", "OnFailure"}};
    if (!found(chaos)) return;
    const auto [field, value] = edits[chaos.below(std::size(edits))];
    chaos.did("change {} {} {}", name, field, value);
    const json::object patch = field == std::string{"output"} && value == std::string{"none"}
                                   ? only("/spec/output", nullptr)
                                   : field_patch(fields(), field, value);
    chaos.world().merge(extended_jobs, shop, name, patch);
}

void meddle(Chaos& chaos) {
    if (!found(chaos)) return;
    const auto all = jobs_of(chaos.world().cluster.api(), found(chaos)->object());
    if (all.empty()) return;
    const std::string job = name_in(all[chaos.below(all.size())]->object());
    chaos.did("delete Job {}", job);
    chaos.world().remove(jobs, shop, job);
}

void delete_object(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("delete {}", name);
    chaos.world().remove(extended_jobs, shop, name);
    chaos.world().cluster.run_for(chaos.between(0s, 60s));
    if (!found(chaos)) make(chaos);
}

void wipe(Chaos& chaos) {
    if (!found(chaos)) return;
    chaos.did("wipe the status of {}", name);
    chaos.world().merge(extended_jobs, shop, name, only("/status", nullptr), "status");
}

void silence(Chaos& chaos) {
    chaos.world().egress.kubelets_answer = chaos.chance(50);
    chaos.did("kubelets {}", chaos.world().egress.kubelets_answer ? "answer" : "are silent");
}

void calm(Chaos& chaos) {
    chaos.world().egress.kubelets_answer = true;
    if (!found(chaos) || is_terminating(found(chaos)->object())) return;
    chaos.world().merge(extended_jobs, shop, name, only("/spec/output", nullptr));
    chaos.world().merge(extended_jobs, shop, name, field_patch(fields(), "behaves", "succeed"));
    // What runs may go on failing for long.
    for (const ObjectPtr& job : jobs_of(chaos.world().cluster.api(), found(chaos)->object()))
        chaos.world().remove(jobs, shop, name_in(job->object()));
    set_strategy(chaos.world(), name, "now");
}

std::string what_is_wrong(Chaos& chaos) {
    const ObjectPtr object = found(chaos);
    if (!object) return {};
    if (is_terminating(object->object())) return fmt::format("{}: it is still there", name);
    const bool is_over = array_at(object->object(), "/status/active").empty() &&
                         array_at(object->object(), "/status/leaving").empty();
    const std::string outcome = text_at(object->object(), "/status/lastRun/outcome");
    const std::string strategy = text_at(object->object(), strategy_at);
    if (is_over && outcome == "Succeeded" && strategy == "manual") return {};
    return fmt::format("{}: strategy {}, {}: {}", name, strategy,
                       text_at(object->object(), "/status/reason"),
                       text_at(object->object(), "/status/message"));
}

// A run that failed because of its template as it was before is run again.
void help(Chaos& chaos) {
    const ObjectPtr object = found(chaos);
    if (!object || text_at(object->object(), "/status/reason") != "RunFailed") return;
    chaos.did("run {}", name);
    set_strategy(chaos.world(), name, "now");
}

constexpr RandomAction actions[] = {
    {ask, 8}, {change, 4}, {meddle, 2}, {delete_object, 1}, {wipe, 1}, {silence, 2},
};

}  // namespace

const RandomPart random_part{
    .begin = begin, .actions = actions, .calm = calm, .what_is_wrong = what_is_wrong, .help = help};

}  // namespace sluice::sim::extended_job
