#include "sim/world/services.hpp"

#include <fmt/format.h>

#include "api/metrics/prometheus.hpp"
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

metrics::MetricReading Services::ask(const engine::MetricQuery& query, const std::string& ns,
                                     Instant now, const std::string& asker) {
    auto reading = inquire<metrics::MetricReading>(
        ns, now,
        [&](const Learnt& learnt) {
            return metrics::ask_prometheus(query, ns, metric_hosts, learnt);
        },
        [&](const Ask& ask) { return web.answer(ask); });
    if (!reading) reading = metrics::unknown("the question went in circles");
    metric_calls_.push_back({now, ns, query, *reading, asker});
    return std::move(*reading);
}

}  // namespace sluice::sim
