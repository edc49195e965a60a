#include "api/extended_stateful_set/owning_references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/claims.hpp"
#include "api/extended_stateful_set/reconciliation.hpp"
#include "api/extended_stateful_set/report.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
#include "engine/report.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
using engine::Decision;
using engine::Fetched;
using engine::Reason;
using engine::Snapshot;
using model::CustomObject;
using Refs = std::vector<model::Ref>;

constexpr const model::Resource* kinds[] = {&model::config_map_contents, &model::secret_contents};

constexpr Duration parting_pace = 1min;  // instead of refused_pace while a deletion waits for it

// One of them, as it was read.
struct Found {
    model::Ref ref;
    CustomObject object;
};

// Only as it was read: whoever has changed it meanwhile is not overwritten.
engine::Action owners_write(const Found& found, const std::string& owners) {
    const model::ObjectMeta& meta = found.object.meta;
    const char* path = "/metadata/ownerReferences";
    json::object change{{"op", "remove"}, {"path", path}};
    if (owners != "[]") change = {{"op", "add"}, {"path", path}, {"value", json::parse(owners)}};
    const json::array operations{json::object{{"op", "test"},
                                              {"path", "/metadata/resourceVersion"},
                                              {"value", std::to_string(meta.resource_version)}},
                                 std::move(change)};
    return write_to({found.ref, meta.uid}, false, json::serialize(operations));
}

Refs wanted_by(const Snapshot& seen, const Spec& spec) {
    Refs refs;
    if (!seen.environment.marks_no_owners)
        for (const Reference& one : spec.references)
            refs.push_back(one.ref);
    return refs;
}

Refs refs_in(const ReferenceBook& book, const std::string& ns) {
    Refs refs;
    for (const std::string& name : book.names)
        if (auto ref = reference_ref(name, ns)) refs.push_back(std::move(*ref));
    return refs;
}

void add_missing(Refs& refs, const Refs& more) {
    for (const model::Ref& one : more)
        if (std::ranges::find(refs, one) == refs.end()) refs.push_back(one);
}

// Not just too late, or at a bad time.
bool is_denied(const engine::Refusal& refusal) {
    return refusal.is_final() && refusal.status != 422;
}

// Why the last write to one of them was refused; empty: it was not.
std::string denied_write(const Snapshot& seen) {
    const auto& tried = seen.attempt;
    const bool is_one = tried && tried->verb == engine::Action::Verb::Patch &&
                        std::ranges::find(kinds, tried->ref.resource) != std::end(kinds);
    if (!is_one || !tried->refusal || !is_denied(*tried->refusal)) return {};
    return fmt::format("The owner references of {} {} cannot be changed: {}",
                       tried->ref.resource->kind, tried->ref.name, tried->refusal->why);
}

// What has been read of them.
struct Reading {
    bool is_whole = true;
    bool failed = false;            // for a while
    std::string denied = {};        // why nobody may read them
    std::vector<Found> found = {};  // those that are there
};
Reading read_of(const Snapshot& seen, const Refs& refs) {
    Reading reading;
    for (const model::Ref& ref : refs) {
        const Fetched* one = seen.fetched_as(ref);
        reading.is_whole = reading.is_whole && one;
        if (one && one->refusal && one->refusal->status == 403)
            reading.denied = fmt::format("{} {} cannot be read: {}", ref.resource->kind, ref.name,
                                         one->refusal->why);
        else if (one && one->refusal)
            reading.failed = true;
        else if (one && one->object)
            reading.found.push_back({ref, *one->object});
    }
    return reading;
}

std::vector<engine::Action> strippings(const Reading& reading, const CustomObject& object) {
    std::vector<engine::Action> actions;
    for (const Found& one : reading.found)
        if (const auto owners = without_owner(one.object.status, object))
            actions.push_back(owners_write(one, *owners));
    return actions;
}

ReferenceWork refused(ReferenceBook book, std::string why, Instant now) {
    book.refusal = std::move(why);
    book.refused = in_whole_seconds(now);
    return {.book = std::move(book), .wake_at = now + refused_pace};
}

// Those that the template names no more: looked at, rid of the reference, looked at again,
// forgotten.
ReferenceWork strip(const Snapshot& seen, const Refs& left, ReferenceBook book, Instant now) {
    const Reading reading = read_of(seen, left);
    if (!reading.is_whole) return {.book = std::move(book), .rests_on = left};
    if (!reading.denied.empty()) return refused(std::move(book), reading.denied, now);
    if (reading.failed) return {.book = std::move(book), .wake_at = now + looking_pace};
    ReferenceWork work{.book = std::move(book)};
    work.actions = strippings(reading, seen.objects.front());
    if (!work.actions.empty()) return work;
    std::erase_if(work.book.names, [&](const std::string& name) {
        const auto ref = reference_ref(name, seen.objects.front().meta.key.ns);
        return !ref || std::ranges::find(left, *ref) != left.end();
    });
    if (work.book.names.empty()) work.book.marked.clear();
    return work;
}

// The last one is gone. What the template names is looked at all the same: somebody may have wiped
// the status.
ReferenceWork let_go(const Snapshot& seen, ReferenceBook book, Instant now) {
    const CustomObject& object = seen.objects.front();
    ReferenceWork work = strip(seen, named_in_template(object), std::move(book), now);
    const bool is_clean = work.actions.empty() && work.rests_on.empty() && !work.wake_at;
    if (is_clean) work = {.actions = {drop_finalizer(resource, object, finalizer)}};
    return work;
}

// All of them are marked. That is written down once, with the versions that this has made of them:
// whoever reads the digest from then on need not read them again.
ReferenceBook marked(const Snapshot& seen, const Refs& wanted, ReferenceBook book) {
    std::string text;
    for (const model::Ref& ref : wanted)
        if (const engine::NamedObject* one = seen.named_as(ref); one && one->meta)
            text += fmt::format("{}={};", reference_name(ref), one->meta->uid);
    return {.names = std::move(book.names), .marked = hex_digest(text)};
}

ReferenceWork mark(const Snapshot& seen, const Refs& wanted, ReferenceBook book, Instant now) {
    const CustomObject& object = seen.objects.front();
    const std::string& ns = object.meta.key.ns;
    const model::Ref home{&namespaces, {}, ns};
    Refs lacking;
    for (const model::Ref& ref : wanted) {
        const engine::NamedObject* one = seen.named_as(ref);
        const bool is_there = one && one->meta && !one->meta->deleting;
        const bool is_noted =
            std::ranges::find(book.names, reference_name(ref)) != book.names.end();
        if (is_there && is_noted && !is_marked(one->owners, object)) lacking.push_back(ref);
    }
    if (lacking.empty()) return {.book = marked(seen, wanted, std::move(book))};
    Refs all = lacking;
    all.push_back(home);
    const Reading reading = read_of(seen, all);
    if (!reading.is_whole) return {.book = std::move(book), .rests_on = all};
    if (!reading.denied.empty()) return refused(std::move(book), reading.denied, now);
    if (reading.failed) return {.book = std::move(book), .wake_at = now + looking_pace};
    ReferenceWork work{.book = std::move(book)};
    const auto space = std::ranges::find(reading.found, home, &Found::ref);
    if (space == reading.found.end() || space->object.meta.deleting) return work;
    for (const Found& one : reading.found) {
        if (one.ref == home || one.object.meta.deleting) continue;
        if (const auto owners = with_owner(one.object.status, object, space->object.meta.uid))
            work.actions.push_back(owners_write(one, *owners));
    }
    return work;
}

}  // namespace

std::string reference_name(const model::Ref& ref) {
    return fmt::format("{}/{}", ref.resource->kind, ref.name);
}

std::optional<model::Ref> reference_ref(std::string_view name, const std::string& ns) {
    for (const model::Resource* kind : kinds) {
        const std::size_t end = kind->kind.size();
        if (!name.starts_with(kind->kind) || name.substr(end, 1) != "/") continue;
        const std::string object{name.substr(end + 1)};
        if (is_dns_subdomain(object)) return model::Ref{kind, ns, object};
    }
    return std::nullopt;
}

ReferenceBook with_names(ReferenceBook book, const Snapshot& seen, const Spec& spec) {
    for (const model::Ref& ref : wanted_by(seen, spec)) {
        std::string name = reference_name(ref);
        const bool is_new = std::ranges::find(book.names, name) == book.names.end();
        if (is_new && book.names.size() < references_max) book.names.push_back(std::move(name));
    }
    return book;
}

ReferenceWork reference_work(const Snapshot& seen, const Spec& spec, ReferenceBook book,
                             Instant now) {
    const CustomObject& object = seen.objects.front();
    if (std::string why = denied_write(seen); !why.empty())
        return refused(std::move(book), std::move(why), now);
    if (!book.refusal.empty() && now < book.refused + refused_pace) {
        const Instant due = book.refused + refused_pace;
        return {.book = std::move(book), .wake_at = due};
    }
    const bool is_kept = has_finalizer(object, finalizer);
    if (book.names.empty() && is_kept) return let_go(seen, std::move(book), now);
    if (book.names.empty()) return {};
    if (!is_kept)
        return {.book = std::move(book), .actions = {add_finalizer(resource, object, finalizer)}};
    const Refs wanted = wanted_by(seen, spec);
    Refs left = refs_in(book, object.meta.key.ns);
    const bool has_unreadable = left.size() < book.names.size();
    std::erase_if(left, [&](const model::Ref& one) {
        return std::ranges::find(wanted, one) != wanted.end();
    });
    if (!left.empty() || has_unreadable) return strip(seen, left, std::move(book), now);
    return mark(seen, wanted, std::move(book), now);
}

// What nobody may read any more is let go with its reference: the garbage collector takes that
// away.
Decision disown(const Snapshot& seen, Instant now) {
    const CustomObject& object = seen.objects.front();
    if (!has_finalizer(object, finalizer)) return {};
    const Status old = read_status(object);
    Refs refs = refs_in(old.references, object.meta.key.ns);
    add_missing(refs, named_in_template(object));
    Decision decision;
    decision.subject = subject_of(resource, object);
    decision.report = {engine::Phase::Rolling, Reason::Released, {}, {}};
    const Reading reading = read_of(seen, refs);
    if (std::string why = denied_write(seen); !why.empty()) {
        decision.report = {engine::Phase::Held, Reason::ReferencesRefused, why,
                           engine::unblock_text(Reason::ReferencesRefused, seen.workload,
                                                commands(), object.meta.key.name)};
        decision.notices.push_back({Reason::ReferencesRefused, why});
        decision.wake_at = now + parting_pace;
        Status status = old;
        write_report(status, old, decision.report, seen, now);
        if (auto write = api::status_write(*decision.subject, object, old, status))
            decision.actions.push_back(std::move(*write));
        return decision;
    }
    if (!reading.is_whole) {
        decision.rests_on = std::move(refs);
        decision.rereads_subject = false;
        return decision;
    }
    if (reading.failed) {
        decision.wake_at = now + looking_pace;
        return decision;
    }
    decision.actions = strippings(reading, object);
    for (std::size_t i = 1; i < decision.actions.size(); ++i)
        decision.actions[i].follows = true;
    if (!decision.actions.empty()) return decision;
    decision.actions.push_back(drop_finalizer(resource, object, finalizer));
    return decision;
}

// Written down before any of them is written.
void Reconciliation::note_references() {
    next_.references = with_names(next_.references, seen_, spec_);
}

void Reconciliation::own_references() {
    if (!decision_.actions.empty() || !decision_.rests_on.empty()) return;
    ReferenceWork work = reference_work(seen_, spec_, next_.references, now_);
    if (work.wake_at) wake_at(*work.wake_at);
    if (work.book != next_.references) {
        next_.references = std::move(work.book);
        report_on_references();
        write_status(true);
        decision_.needs_live = false;  // it would need what nobody may read
        return;
    }
    decision_.rests_on = std::move(work.rests_on);
    decision_.rereads_subject = decision_.rests_on.empty();
    for (engine::Action& action : work.actions) {
        action.follows = !decision_.actions.empty();
        add_action(std::move(action));
    }
}

// A condition, where something is amiss.
void Reconciliation::report_on_references() {
    const char* type = "ConfigOwned";
    const ReferenceBook& book = next_.references;
    std::vector<Condition> kept;
    for (const Condition& one : old_.conditions)
        if (one.type == type) kept.push_back(one);
    std::erase_if(next_.conditions, [&](const Condition& one) { return one.type == type; });
    if (book.refusal.empty()) return;
    const std::string way =
        engine::unblock_text(Reason::ReferencesRefused, seen_.workload, commands(), name());
    kept = with_newer(
        std::move(kept),
        Condition{type, "False", std::string{engine::entry(Reason::ReferencesRefused).name},
                  fmt::format("{}; {}", book.refusal, way), object_.meta.generation,
                  in_whole_seconds(now_)});
    next_.conditions.push_back(std::move(kept.front()));
}

}  // namespace sluice::api::extended_stateful_set
