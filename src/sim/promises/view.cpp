// Whether an operator's view of the world is the truth.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/state.hpp"
#include "sim/promises/promise.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {
namespace {

// Whatever part of an object has more, the object has.
constexpr std::size_t readable_bytes_max = 64u << 10;

model::ObjectKey key_of(const Stored& object) {
    return {text_at(object.object(), "/metadata/namespace"),
            text_at(object.object(), "/metadata/name")};
}

bool is_watched(const OperatorHost& host, const std::string& ns) {
    const auto& all = host.options().settings.namespaces;
    return ns.empty() || all.empty() || std::ranges::find(all, ns) != all.end();
}

// L2: the operator's store says what the API says.
class KnowsTheWorld final : public Promise {
  public:
    using Promise::Promise;

    void on_end(const OperatorHost& host) override {
        tested();
        if (!host.is_running()) return;
        const runtime::Store& store = host.controller().store();
        std::size_t pods = 0;
        std::size_t sets = 0;
        for (const ObjectPtr& set : in.cluster.api().list("statefulsets.apps")) {
            const model::ObjectKey key = key_of(*set);
            if (!is_watched(host, key.ns)) continue;
            const auto known = store.statefulset(key);
            if (!known || known->meta.resource_version != set->version())
                broken(fmt::format("the operator does not know {} as it is", to_text(key)));
            if (known) pods += store.pods_of(*known).size();
            ++sets;
        }
        if (store.set_count() != sets)
            broken(fmt::format("the operator knows {} sets, and there are {}", store.set_count(),
                               sets));
        std::size_t truth = 0;
        for (const ObjectPtr& pod : in.cluster.api().list("pods"))
            truth += text_at(pod->object(), "/metadata/ownerReferences/0/kind") == "StatefulSet";
        if (pods != truth)
            broken(fmt::format("the operator knows {} pods, and there are {}", pods, truth));
        compare_objects(host);
    }

  private:
    // What is too large to be read may be known as it was, or not at all.
    void compare_objects(const OperatorHost& host) const {
        const auto tables = host.controller().objects();
        std::map<std::string_view, std::size_t> known;
        for (const Resource* resource : in.cluster.api().resources()) {
            const auto table = tables.find(resource->plural);
            if (table == tables.end()) continue;
            for (const ObjectPtr& one : in.cluster.api().list(resource->id())) {
                const model::ObjectKey key = key_of(*one);
                const auto found = table->second->find(key);
                const bool is_readable = one->text().size() <= readable_bytes_max;
                const bool is_right = found && found->meta.resource_version == one->version();
                if (is_readable && is_watched(host, key.ns) && !is_right)
                    broken(fmt::format("the operator does not know {} as it is", to_text(key)));
                known[table->first] += found.has_value();
            }
        }
        for (const auto& [plural, table] : tables)
            if (table->size() != known[plural])
                broken(fmt::format("the operator knows {} {}, of which {} are there", table->size(),
                                   plural, known[plural]));
    }
};

}  // namespace

void add_view_promises(Observers& all, const Inspection& inspection) {
    add<KnowsTheWorld>(all, "L2", inspection);
}

}  // namespace sluice::sim
