#include "sim/world/services.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"

namespace sluice::sim {

using namespace api;

Result<Secret> Services::secret(const std::string& ns, const std::string& name) const {
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

Result<PodSeen> Services::pod(const std::string& ns, const std::string& name) const {
    const ObjectPtr found = api_.find("pods", ns, name);
    if (!found) return failure(ErrorKind::NotFound, fmt::format("pod {} does not exist", name));
    return PodSeen{text_at(found->object(), "/metadata/uid"),
                   text_at(found->object(), "/status/podIP"), found->text()};
}

Said Services::carry_out(const Inquiry& inquiry, Instant now, const Serve& serve,
                         const CallPlugin& call) const {
    Learnt learnt;
    for (int step = 0; step < steps_max; ++step) {
        const Move move = inquiry.next(learnt);
        if (const auto* said = std::get_if<Said>(&move)) return *said;
        if (const auto* need = std::get_if<NeedSecret>(&move))
            learnt.secrets.emplace(need->name, secret(inquiry.ns, need->name));
        else if (const auto* wanted = std::get_if<NeedPod>(&move))
            learnt.pods.emplace(wanted->name, pod(inquiry.ns, wanted->name));
        else if (const auto* asked = std::get_if<PluginCall>(&move))
            learnt.calls.push_back(call(*asked));
        else if (const auto& ask = std::get<Ask>(move); ask.url.contains("/api/v1/query"))
            learnt.answers.push_back(prometheus.answer(ask, now));
        else
            learnt.answers.push_back(serve(ask));
    }
    return inquiry.give_up({ErrorKind::TooLarge, "the question went in circles"});
}

std::optional<std::size_t> Services::note(const engine::Question& question,
                                          const engine::Answer& said, const std::string& ns,
                                          Instant now, const std::string& asker) {
    const auto* query = engine::opened<engine::MetricQuery>(question);
    const auto* reading = engine::opened<engine::MetricAnswer>(said);
    if (!query || !reading) return std::nullopt;
    metric_calls_.push_back({now, ns, *query, *reading, asker});
    return metric_calls_.size() - 1;
}

}  // namespace sluice::sim
