// What an operator may write and delete, and what no write of it may show.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/admission.hpp"
#include "sim/apis/registry.hpp"
#include "sim/promises/promise.hpp"

namespace sluice::sim {
namespace {

bool is_own(const Change& change) {
    return change.user == operator_user;
}

// A promise of an API says what may be done to these.
bool is_judged_elsewhere(const std::string& resource) {
    return std::ranges::any_of(apis(), [&](const Api& api) {
        return std::ranges::find(api.judged, resource) != api.judged.end();
    });
}

bool is_custom(Cluster& cluster, const std::string& resource) {
    const Resource* known = cluster.api().resource(resource);
    return known && known->is_custom();
}

bool shows_canary(std::string_view text) {
    static const std::vector<std::string> spellings = spellings_of(canary);
    return std::ranges::any_of(spellings,
                               [&](const std::string& one) { return text.contains(one); });
}

// What an operator may not touch on a custom object: all but its status, and the fields and the
// finalizer that are its own.
json::object untouchable(json::object object, const std::string& resource) {
    object.erase("status");
    for (const char* key : {"resourceVersion", "generation", "managedFields"})
        erase(object, std::string{"/metadata/"} + key);
    const auto api = std::ranges::find(apis(), std::string_view{resource}, &Api::resource);
    if (api == apis().end()) return object;
    for (const std::string_view field : api->own_fields)
        if (has(object, field)) erase(object, field);
    json::array others;
    for (const json::value& finalizer : array_at(object, "/metadata/finalizers"))
        if (finalizer != json::value(api->finalizer)) others.push_back(finalizer);
    erase(object, "/metadata/finalizers");
    if (!others.empty()) object.at("metadata").get_object()["finalizers"] = std::move(others);
    return object;
}

// S10: StatefulSets, events, its lease and the status of custom objects.
class WritesItsOwn final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const std::string& resource = change.place.resource;
        if (!is_own(change)) return;
        tested();
        const bool may = resource == "statefulsets.apps" || resource == "events" ||
                         resource == "leases.coordination.k8s.io" || is_judged_elsewhere(resource);
        if (may) return;
        if (is_custom(in_.cluster, resource)) return on_object(change);
        if (resource == "pods" ? !is_pod_deletion(change) : change.type != Change::Type::Deleted)
            broken(fmt::format("an operator wrote {} {}", resource, change.place.name));
    }

  private:
    void on_object(const Change& change) const {
        const std::string& resource = change.place.resource;
        if (change.type == Change::Type::Deleted) return;
        if (!change.before)
            broken(fmt::format("an operator made {} {}", resource, change.place.name));
        else if (untouchable(change.before->object(), resource) !=
                 untouchable(change.object->object(), resource))
            broken(fmt::format("an operator changed more than the status and its finalizer on {}",
                               change.place.name));
    }
};

// S11: pods by their UID; a custom object that somebody else has deleted goes with our finalizer.
class DeletesByUid final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        const std::string& resource = change.place.resource;
        if (!is_own(change)) return;
        tested();
        const json::object& object = change.object->object();
        if (resource == "pods") {
            if (is_pod_deletion(change) && !in_.history.is_named(uid_in(object)))
                broken(fmt::format("an operator deleted pod {} without naming its UID",
                                   change.place.name));
            return;
        }
        const bool may = is_judged_elsewhere(resource) ||
                         (is_custom(in_.cluster, resource) && is_leaving(object));
        if (change.type == Change::Type::Deleted && !may)
            broken(fmt::format("an operator deleted {} {}", resource, change.place.name));
    }
};

// S14
class KeepsSecrets final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        if (!is_own(change)) return;
        tested();
        if (shows_canary(change.object->text()))
            broken(fmt::format("a secret is in {} {}", change.place.resource, change.place.name));
    }

    void on_log(const controller::Log& line) override {
        if (shows_canary(line.text)) broken("a secret is in a log line");
    }
};

// S16
class StaysInItsNamespace final : public Promise {
  public:
    using Promise::Promise;

    void on_change(const Change& change) override {
        if (!is_own(change) || change.place.resource != "events") return;
        tested();
        if (text_at(change.object->object(), "/involvedObject/namespace") != change.place.ns)
            broken("an event stands in another namespace than what it is about");
    }
};

}  // namespace

void add_write_promises(Observers& all, const Inspection& inspection) {
    add<WritesItsOwn>(all, "S10", inspection);
    add<DeletesByUid>(all, "S11", inspection);
    add<KeepsSecrets>(all, "S14", inspection);
    add<StaysInItsNamespace>(all, "S16", inspection);
}

}  // namespace sluice::sim
