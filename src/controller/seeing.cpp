// What the controller shows an API: whose business a subject is, and what is known of it.
#include <fmt/format.h>

#include <string_view>

#include "controller/controller.hpp"
#include "model/annotations.hpp"

namespace sluice::controller {

// In the order of precedence: who holds the claim steers, or else the first of the registry. Those
// that do not see all they need in the namespace are not asked.
std::vector<Controller::Candidate> Controller::candidates_for(const model::Ref& subject,
                                                              const model::StatefulSet& set) const {
    const bool is_missing = set.meta.uid.empty();
    const std::string& claim = annotation(set, model::key::claim);
    std::vector<Candidate> candidates;
    for (const ServedApi& one : apis_) {
        const bool holds = claim.starts_with(std::string{one.api->name} + "/");
        if (!serves(*one.api, subject.ns)) {
            if (holds) return {};  // it is theirs, and we cannot see what they want
            continue;
        }
        Candidate candidate{one.api, objects_about(subject, *one.api)};
        const bool is_concerned = is_missing || !one.api->concerns
                                      ? !candidate.objects.empty()
                                      : one.api->concerns(set, candidate.objects);
        if (!is_concerned) continue;
        candidates.insert(holds ? candidates.begin() : candidates.end(), std::move(candidate));
    }
    return candidates;
}

std::vector<model::CustomObject> Controller::objects_about(const model::Ref& subject,
                                                           const api::Api& api) const {
    const runtime::ObjectTable* own = store_.objects(api.resource);
    return own ? own->about(subject) : std::vector<model::CustomObject>{};
}

// Objects of other resources than its own.
std::vector<model::CustomObject> Controller::naming(const model::Ref& subject,
                                                    const api::Api& api) const {
    std::vector<model::CustomObject> objects;
    for (const api::Watch& watch : api.watches) {
        const bool is_other = watch.resource != api.resource;
        if (!is_other || !std::holds_alternative<model::Named>(watch.concerns)) continue;
        for (model::CustomObject& one : store_.objects(watch.resource)->about(subject))
            objects.push_back(std::move(one));
    }
    return objects;
}

template <class Kind>
std::vector<Kind> Controller::owned_by(const Candidate& candidate, model::Form form) const {
    std::vector<Kind> owned;
    for (const api::Watch& watch : candidate.api->watches) {
        const auto* by = std::get_if<model::Owner>(&watch.concerns);
        if (!by || by->resource != candidate.api->resource || watch.resource->form != form)
            continue;
        for (const model::CustomObject& owner : candidate.objects)
            for (auto& one : store_.owned_by<Kind>(*watch.resource, owner.meta))
                owned.push_back(std::move(one));
    }
    return owned;
}

std::vector<model::CustomObject> Controller::neighbours_of(const Candidate& candidate) const {
    std::vector<model::CustomObject> all;
    if (candidate.objects.empty()) return all;
    const model::CustomObject& own = candidate.objects.front();
    for (const api::Watch& watch : candidate.api->watches) {
        const auto* neighbours = std::get_if<model::Neighbours>(&watch.concerns);
        if (!neighbours || !neighbours->minds(own)) continue;
        for (model::CustomObject& one : store_.objects(watch.resource)->in(own.meta.key.ns))
            all.push_back(std::move(one));
    }
    return all;
}

model::StatefulSet Controller::known_set(const model::Ref& subject) const {
    auto found = store_.find(subject);
    if (auto* set = found ? std::get_if<model::StatefulSet>(&*found) : nullptr)
        return std::move(*set);
    model::StatefulSet none;
    none.meta.key = {subject.ns,
                     subject.resource == &model::statefulsets ? subject.name : std::string{}};
    return none;
}

// Those of the subject itself, whatever it is, and of sets that it owns.
std::vector<model::Pod> Controller::pods_of(const model::Ref& subject,
                                            const model::StatefulSet& set,
                                            const Candidate& candidate) const {
    if (subject.resource == &model::statefulsets)
        return store_.owned_by<model::Pod>(model::pods, set.meta);
    if (candidate.objects.empty()) return {};
    auto pods = store_.owned_by<model::Pod>(model::pods, candidate.objects.front().meta);
    for (const auto& one : owned_by<model::StatefulSet>(candidate, model::Form::StatefulSet))
        for (model::Pod& pod : store_.owned_by<model::Pod>(model::pods, one.meta))
            pods.push_back(std::move(pod));
    return pods;
}

// The label by which its pods are listed; empty: it has none, or they are found otherwise.
std::string Controller::label_of_pods(const model::Ref& subject) const {
    for (const ServedApi& one : apis_) {
        if (one.api->resource != subject.resource) continue;
        for (const api::Watch& watch : one.api->watches)
            if (watch.resource == &model::pods && !watch.owner_label.empty())
                return fmt::format("{}={}", watch.owner_label, subject.name);
    }
    return {};
}

engine::Snapshot Controller::snapshot(const model::Ref& subject, Candidate candidate,
                                      model::StatefulSet set, std::vector<model::Pod> pods,
                                      const Case& about) const {
    engine::Snapshot seen;
    seen.subject = subject;
    seen.contested_until = about.contested_until;
    seen.workload = std::move(set);
    seen.pods = std::move(pods);
    seen.owned = owned_by<model::CustomObject>(candidate, model::Form::Custom);
    seen.sets = owned_by<model::StatefulSet>(candidate, model::Form::StatefulSet);
    seen.naming = naming(subject, *candidate.api);
    seen.neighbours = neighbours_of(candidate);
    seen.named = named_by(candidate);
    seen.objects = std::move(candidate.objects);
    seen.evidence = about.evidence;
    if (about.search) seen.fetched = about.search->found;
    if (about.attempt) seen.attempt = *about.attempt;
    if (about.progress) seen.progress = *about.progress;
    seen.waiting_for = about.reason;
    seen.waiting_since = about.reason_since;
    seen.environment = environment_;
    seen.settings = served_as(candidate.api->name).settings;
    candidate.api->prepare(seen);
    return seen;
}

}  // namespace sluice::controller
