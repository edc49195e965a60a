#include "cli/verbs/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/json_parts.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t events_shown = 6;
constexpr std::size_t name_max = 1024;

// The verbs that change something, as they are typed, and what they do.
struct VerbWords {
    api::Verb verb;
    std::string_view typed;    // "promote --full"
    std::string_view meaning;  // behind a command
};
constexpr VerbWords verb_words[] = {
    {api::Verb::Promote, "promote", "end the pause of this step"},
    {api::Verb::PromoteFull, "promote --full", "skip all steps that are left"},
    {api::Verb::Pause, "pause", "hold it where it is"},
    {api::Verb::Resume, "resume", "let it go on"},
    {api::Verb::Abort, "abort", "take the updated pods back"},
    {api::Verb::Retry, "retry", "try again"},
    {api::Verb::Undo, "undo", "put the template before back"},
};

std::vector<api::PodView> pods_of(Server& server, const api::Workload& workload,
                                  std::vector<std::string>& missing) {
    std::vector<api::PodView> pods;
    if (workload.selector.empty()) return pods;
    const auto objects = server.list_pods(workload.set.meta.key.ns, workload.selector);
    if (!objects) {
        missing.push_back("The pods cannot be shown: " + objects.error().message);
        return pods;
    }
    for (const json::object& object : *objects) {
        auto pod = api::read_pod(object);
        if (pod && pod->owner_uid == workload.set.meta.uid) pods.push_back(std::move(*pod));
    }
    std::ranges::sort(pods, std::greater{}, [](const api::PodView& pod) {
        return std::pair{pod.ordinal.value_or(Ordinal{-1}), pod.name};
    });
    return pods;
}

// False if events may not be read.
bool add_events(Server& server, const model::ObjectMeta& meta, Explanation& all) {
    const auto objects = server.list_events(meta.key.ns, meta.uid);
    if (!objects) {
        all.missing.push_back("Events cannot be shown: " + objects.error().message);
        return false;
    }
    for (const json::object& object : *objects)
        all.events.push_back(api::read_event(object));
    return true;
}

std::vector<Hint> hints_for(const Asked& asked, const Found& found, const api::Standing& standing,
                            Instant now) {
    const auto makes_sense = [&](api::Verb verb) {
        return api::reply(*found.dialect, verb, found.steered, now).has_value();
    };
    std::vector<Hint> hints;
    for (const VerbWords& words : verb_words) {
        // To hold what rests is possible, and nothing that anybody has to be told now.
        const bool rests = standing.mood == api::Mood::Resting;
        if (rests && (words.verb == api::Verb::Pause || words.verb == api::Verb::Undo)) continue;
        if (!makes_sense(words.verb)) continue;
        hints.push_back(
            {command_text(asked, std::string{words.typed}, found), std::string{words.meaning}});
    }
    return hints;
}

json::object pod_json(const api::PodView& pod, const api::Workload* workload) {
    api::JsonWriter writer;
    writer.field("name", pod.name, name_max)
        .field("revision", pod.revision, name_max)
        .field("state", pod.state, name_max)
        .part("ready", pod.ready)
        .always("restarts", pod.restarts)
        .field("created", pod.created);
    if (workload) writer.part("updated", pod.revision == workload->set.update_revision);
    return writer.take();
}

json::object event_json(const api::EventView& event) {
    return api::JsonWriter{}
        .field("at", event.at)
        .field("type", event.warns ? "Warning" : "Normal", name_max)
        .field("reason", event.reason, name_max)
        .field("message", event.message, name_max)
        .always("count", event.count)
        .take();
}

}  // namespace

Explanation gather(Server& server, const Asked& asked, Found found, Instant now) {
    const auto past = read_history(server, found);
    Explanation all{found, found.dialect->standing(found.steered), {}, {}, {}, {}};
    if (!past) all.missing.push_back("Earlier templates cannot be shown: " + past.error().message);
    const auto& workload = found.steered.workload;
    if (workload) all.pods = pods_of(server, *workload, all.missing);
    const bool may_read = add_events(server, found.steered.object.meta, all);
    const bool has_other = workload && !api::is_of_workload(*found.dialect);
    if (may_read && has_other) add_events(server, workload->set.meta, all);
    std::ranges::sort(all.events, {}, [](const api::EventView& event) {
        return std::pair{event.at, event.version};
    });
    if (all.events.size() > events_shown)
        all.events.erase(all.events.begin(), all.events.end() - events_shown);
    all.hints = hints_for(asked, found, all.standing, now);
    return all;
}

std::string explain_json(const Explanation& all, Instant now) {
    const api::Workload* workload =
        all.found.steered.workload ? &*all.found.steered.workload : nullptr;
    json::object object = standing_json(all.found);
    if (workload) {
        object["currentRevision"] = json::string(workload->set.current_revision);
        object["updateRevision"] = json::string(workload->set.update_revision);
        object["partition"] = effective_partition(workload->set).value;
        object["replicas"] = workload->set.replicas.value;
    }
    json::object facts;
    for (const api::Fact& fact : all.found.dialect->facts(all.found.steered, now))
        facts[fact.name] = json::string(fact.text);
    object["facts"] = std::move(facts);
    api::JsonWriter lists;
    lists
        .list("pods", all.pods, all.pods.size(),
              [&](const api::PodView& pod) { return pod_json(pod, workload); })
        .list("commands", all.hints, all.hints.size(),
              [](const Hint& hint) { return json::value(json::string(hint.command)); })
        .list("events", all.events, all.events.size(), event_json);
    for (auto& field : lists.take())
        object[field.key()] = field.value();
    return pretty(object);
}

}  // namespace sluice::cli
