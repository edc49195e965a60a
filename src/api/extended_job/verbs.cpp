#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/extended_job/decide.hpp"
#include "api/extended_job/spec.hpp"
#include "api/extended_job/status.hpp"
#include "api/owning.hpp"

namespace sluice::api::extended_job {
namespace {

namespace json = boost::json;

constexpr std::string_view names[] = {"extendedjob", "ejob"};

Standing standing(const Steered& steered) {
    const Status status = read_status(steered.object);
    Standing standing = standing_of(status);
    standing.workload = fmt::format("extendedjob/{}", steered.object.meta.key.name);
    if (status.runs > 0) standing.step = fmt::format("run {}", status.runs);
    return standing;
}

std::vector<Fact> facts(const Steered& steered, Instant now) {
    const Status status = read_status(steered.object);
    std::vector<Fact> facts;
    if (const auto spec = read_spec(steered.object))
        facts.push_back({"strategy", std::string{to_text(spec->strategy)}});
    facts.push_back({"runs", fmt::format("{} begun, {} succeeded, {} failed", status.runs,
                                         status.succeeded, status.failed)});
    for (const Run& run : status.active)
        facts.push_back({fmt::format("run {}", run.number),
                         fmt::format("{}, begun {}", run.job, ago_text(run.started, now))});
    if (status.last)
        facts.push_back(
            {fmt::format("run {}", status.last->number),
             fmt::format("{} {}", status.last->outcome, ago_text(status.last->finished, now))});
    if (!status.kept_job.empty()) facts.push_back({"kept", status.kept_job});
    return facts;
}

// As the original has it: by its strategy.
Reply retry(const Steered& steered, Instant) {
    const Status status = read_status(steered.object);
    const auto spec = read_spec(steered.object);
    if (!spec) return decline("{} cannot run as it is: {}", steered.title, to_text(spec.error()));
    if (spec->strategy == Strategy::PodState)
        return decline("{} runs for pods that are {}, once for each.", steered.title,
                       to_text(spec->when));
    if (spec->strategy == Strategy::Now || spec->strategy == Strategy::Once)
        return decline("{} is about to run already.", steered.title);
    const bool is_under_way = !status.active.empty();
    return Change{
        {{Place::Object,
          {{"spec",
            json::object{{"trigger", json::object{{"strategy", to_text(Strategy::Now)}}}}}}}},
        fmt::format("{} runs {}.", steered.title,
                    is_under_way ? "again when the run before it is over" : "now")};
}

Reply promote(const Steered& steered, Instant) {
    return decline("{} has no steps to promote; retry runs it.", steered.title);
}

Reply pause(const Steered& steered, Instant) {
    return decline(
        "{} is not paused: a strategy of manual keeps it from running. A Job that runs can be "
        "suspended itself.",
        steered.title);
}

Reply resume(const Steered& steered, Instant) {
    return decline("{} is not paused; retry runs it.", steered.title);
}

Reply abort(const Steered& steered, Instant) {
    return decline("{} is not aborted: delete its Job, and the run has failed.", steered.title);
}

Reply undo(const Steered& steered, Instant) {
    return decline("{} keeps no earlier templates: what has run has run.", steered.title);
}

}  // namespace

const Dialect dialect{
    "extendedjob", &resource, names, is_always_steered,
    no_workload,   standing,  facts, {promote, promote, pause, resume, abort, retry, undo}};

}  // namespace sluice::api::extended_job
