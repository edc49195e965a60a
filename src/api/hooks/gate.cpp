#include "api/hooks/gate.hpp"

#include <fmt/format.h>

#include "api/hooks/elasticsearch.hpp"
#include "base/assert.hpp"

namespace sluice::api::hooks {
namespace {

const HookCatalogue& catalogue_of(const engine::Snapshot& seen) {
    SLUICE_ASSERT(seen.settings != nullptr);
    return static_cast<const HookCatalogue&>(*seen.settings);
}

// What an approval is bound to beside the pods: the hook, its declaration and its settings.
std::string binding_of(const std::string& hook, const HookCatalogue& hooks,
                       const model::Texts& annotations) {
    std::string binding = hook;
    const auto declared = hooks.external.find(hook);
    if (declared != hooks.external.end() && declared->second) {
        const ExternalHook& one = *declared->second;
        binding += fmt::format(" {} {} {}", one.url, one.ca_secret, one.headers_secret);
    }
    for (const std::string_view name : elasticsearch_annotations)
        if (const auto found = annotations.find(std::string{name}); found != annotations.end())
            binding += fmt::format(" {}={}", name, found->second);
    return binding;
}

std::optional<HookPod> pod_of(const std::optional<engine::PodRef>& pod) {
    if (!pod) return std::nullopt;
    return HookPod{pod->name, pod->uid, {}, {}};
}

}  // namespace

void prepare(engine::Snapshot& seen, const std::string& hook) {
    const HookCatalogue& hooks = catalogue_of(seen);
    if (auto found = find_hook(hooks, hook); !found) seen.hook_problem = std::move(found.error());
    seen.hook_binding = binding_of(hook, hooks, seen.workload.annotations);
}

When when_of(const engine::Snapshot& seen, const std::string& hook) {
    return when_of(catalogue_of(seen), hook);
}

void complete(engine::Decision& decision, const engine::Snapshot& seen, std::string_view kind) {
    if (!decision.probe) return;
    const auto* asked = engine::opened<engine::HookQuestion>(*decision.probe->question);
    if (!asked) return;
    Transition transition{.hook = asked->hook,
                          .ns = seen.subject.ns,
                          .workload = seen.subject.name,
                          .annotations = seen.workload.annotations,
                          .prev = pod_of(asked->prev),
                          .next = pod_of(asked->next),
                          .idempotency_key = asked->idempotency_key,
                          .kind = std::string{kind}};
    decision.probe->question = engine::question_of(HookCall{
        std::move(transition), std::static_pointer_cast<const HookCatalogue>(seen.settings)});
}

}  // namespace sluice::api::hooks
