// Whether an operator's view of the world is the truth.
#include <algorithm>

#include "api/registry.hpp"
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
            const auto known = store.find(ref_to(model::statefulsets, key));
            if (!known || model::meta_of(*known).resource_version != set->version())
                broken("the operator does not know {} as it is", to_text(key));
            if (known)
                pods += store.owned_by<model::Pod>(model::pods, model::meta_of(*known)).size();
            ++sets;
        }
        const std::size_t known = store.size(model::statefulsets);
        if (known != sets) broken("the operator knows {} sets, and there are {}", known, sets);
        std::size_t truth = 0;
        for (const ObjectPtr& pod : in.cluster.api().list("pods"))
            truth += text_at(pod->object(), "/metadata/ownerReferences/0/kind") == "StatefulSet";
        if (pods != truth) broken("the operator knows {} pods, and there are {}", pods, truth);
        for (const api::Api& api : api::apis())
            if (const auto* table = store.objects(api.resource))
                compare_objects(host, api.resource->plural, *table);
    }

  private:
    // Of an object that has pods of its own.
    void compare_pods(const OperatorHost& host, const model::ObjectKey& key,
                      const json::object& owner) const {
        const model::ObjectMeta meta{key, uid_in(owner), 0, 0, false};
        const auto known = host.controller().store().owned_by<model::Pod>(model::pods, meta);
        std::size_t truth = 0;
        for (const ObjectPtr& pod : in.cluster.api().list("pods", key.ns))
            truth += text_at(pod->object(), "/metadata/ownerReferences/0/uid") == meta.uid;
        if (known.size() != truth)
            broken("the operator knows {} pods of {}, and there are {}", known.size(), to_text(key),
                   truth);
    }
    // What is too large to be read may be known as it was, or not at all.
    void compare_objects(const OperatorHost& host, std::string_view plural,
                         const runtime::ObjectTable& table) const {
        std::size_t known = 0;
        for (const Resource* resource : in.cluster.api().resources()) {
            if (resource->plural != plural) continue;
            for (const ObjectPtr& one : in.cluster.api().list(resource->id())) {
                const model::ObjectKey key = key_of(*one);
                const auto found = table.find(key);
                const bool is_readable = one->text().size() <= readable_bytes_max;
                const bool is_right =
                    found && model::meta_of(*found).resource_version == one->version();
                if (is_readable && is_watched(host, key.ns) && !is_right)
                    broken("the operator does not know {} as it is", to_text(key));
                known += found.has_value();
                if (found && is_right) compare_pods(host, key, one->object());
            }
        }
        if (table.size() != known)
            broken("the operator knows {} {}, of which {} are there", table.size(), plural, known);
    }
};

}  // namespace

void add_view_promises(Observers& all, const Inspection& inspection) {
    add<KnowsTheWorld>(all, "L2", inspection);
}

}  // namespace sluice::sim
