#include "sim/apis/egress.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/json_pointer.hpp"
#include "sim/actors/cluster.hpp"
#include "sim/api/selectors.hpp"
#include "sim/apis/registry.hpp"

namespace sluice::sim {

using namespace api;

Egress::Egress(const ApiServer& api) : api_(api) {
    for (const Api& one : apis())
        if (one.service) own_.push_back(one.service());
}

Result<Secret> Egress::secret(const std::string& ns, const std::string& name) const {
    const ObjectPtr found = api_.find("secrets", ns, name);
    if (!found)
        return failure(ErrorKind::NotFound, fmt::format("there is no Secret {}/{}", ns, name));
    Secret secret;
    for (const auto& [key, value] : object_at(found->object(), "/data"))
        if (auto plain = decode_base64(text_at(object_at(found->object(), "/data"), key)))
            secret.data[std::string{key}] = std::move(*plain);
    for (const auto& [key, value] : object_at(found->object(), "/metadata/annotations"))
        if (key.starts_with("sluice.dev/") && value.is_string())
            secret.annotations.emplace(key, value.get_string());
    return secret;
}

Result<PodSeen> Egress::pod(const std::string& ns, const std::string& name) const {
    const ObjectPtr found = api_.find("pods", ns, name);
    if (!found) return failure(ErrorKind::NotFound, fmt::format("pod {} does not exist", name));
    return PodSeen{text_at(found->object(), "/metadata/uid"),
                   text_at(found->object(), "/status/podIP"), found->text()};
}

std::vector<PodSeen> Egress::pods(const std::string& ns, const std::string& selector) const {
    std::vector<PodSeen> found;
    for (const ObjectPtr& one : api_.list("pods", ns))
        if (matches_labels(one->object(), selector).value_or(false))
            found.push_back({text_at(one->object(), "/metadata/uid"),
                             text_at(one->object(), "/status/podIP"), one->text()});
    return found;
}

// What an annotation of the pod says that its containers print.
Result<Redacted> Egress::log(const std::string& ns, const NeedLog& need) const {
    const ObjectPtr found = api_.find("pods", ns, need.pod);
    if (!found) return failure(ErrorKind::NotFound, fmt::format("pod {} does not exist", need.pod));
    if (!kubelets_answer) return failure(ErrorKind::Server, "the kubelet does not answer");
    std::string text = text_at(object_at(found->object(), "/metadata/annotations"),
                               "/" + pointer_token(output_annotation));
    constexpr std::string_view stands_for = "$PRINTED";
    if (const std::size_t at = text.find(stands_for); at != std::string::npos)
        text.replace(at, stands_for.size(), printed_secret);
    return Redacted{std::move(text)};
}

Result<Answer> Egress::answer(const engine::Question& question, const Ask& ask, Instant now) const {
    if (ask.url.contains("/api/v1/query")) return prometheus.answer(ask, now);
    for (const auto& one : own_)
        if (auto said = one->answer(question)) return std::move(*said);
    return web.answer(ask);
}

Result<PluginAnswer> Egress::call(const PluginCall& asked, Instant now) const {
    for (const auto& one : own_)
        if (auto said = one->call(asked, now)) return std::move(*said);
    return failure(ErrorKind::NotFound, "there is no plugin");
}

Said Egress::carry_out(const engine::Question& question, const Inquiry& inquiry,
                       Instant now) const {
    Learnt learnt;
    for (int step = 0; step < steps_max; ++step) {
        const Move move = inquiry.next(learnt);
        if (const auto* said = std::get_if<Said>(&move)) return *said;
        if (const auto* need = std::get_if<NeedSecret>(&move))
            learnt.secrets.emplace(need->name, secret(inquiry.ns, need->name));
        else if (const auto* wanted = std::get_if<NeedPod>(&move))
            learnt.pods.emplace(wanted->name, pod(inquiry.ns, wanted->name));
        else if (const auto* some = std::get_if<NeedPods>(&move))
            learnt.pod_lists.emplace(some->selector, pods(inquiry.ns, some->selector));
        else if (const auto* print = std::get_if<NeedLog>(&move))
            learnt.logs.emplace(std::pair{print->pod, print->container}, log(inquiry.ns, *print));
        else if (const auto* asked = std::get_if<PluginCall>(&move))
            learnt.calls.push_back(call(*asked, now));
        else
            learnt.answers.push_back(answer(question, std::get<Ask>(move), now));
    }
    return inquiry.give_up({ErrorKind::TooLarge, "the question went in circles"});
}

Played Egress::play(const engine::Question& question, const Inquiry& inquiry, Instant now,
                    const std::string& asker) {
    const Said said = carry_out(question, inquiry, now);
    for (const auto& one : own_)
        one->note(question, *said, now);
    const auto* query = engine::opened<engine::MetricQuery>(question);
    const auto* reading = engine::opened<engine::MetricAnswer>(*said);
    if (!query || !reading) return {said};
    metric_calls_.push_back({now, inquiry.ns, *query, *reading, asker});
    return {said, [this, which = metric_calls_.size() - 1] { metric_calls_[which].heard = true; }};
}

}  // namespace sluice::sim
