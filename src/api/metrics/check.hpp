// A check of Prometheus as people write it: what is asked, how often, and how it is judged. The API
// server has checked the same bounds and rules; they are checked again here, because an object may
// have been stored under an older definition.
#pragma once

#include <optional>
#include <string>

#include "api/fields.hpp"
#include "base/time.hpp"
#include "engine/plan.hpp"

namespace sluice::api::metrics {

enum class SuccessOn : std::uint8_t { NoData, Data };

struct Query {
    std::string expr;
    std::string url;  // as written; prometheus_url() reads it
    SuccessOn success_on = SuccessOn::NoData;
    std::string secret;  // names of Secrets in the same namespace; empty: none
    std::string ca_secret;
    bool insecure_skip_verify = false;
    friend bool operator==(const Query&, const Query&) = default;
};

struct Check {
    Duration initial_delay = 60s;
    Duration period = 60s;
    int success_threshold = 3;
    std::optional<int> max_tries = {};          // nothing: checks go on for ever
    std::optional<int> failure_threshold = {};  // nothing: only max_tries counts
    Query query = {};
    friend bool operator==(const Check&, const Check&) = default;
};

// `unsaid` is what passes where the check does not say.
Check read_check(const Fields& fields, SuccessOn unsaid);

// Names what is asked and how it is judged. Successes that were collected under another definition
// are void.
std::string definition_of(const Check& check);

engine::MetricQuery query_of(const Query& query);
// The gate before one step: counts are those of `definition`, `next` is the first that goes.
engine::MetricCheck gate_of(const Check& check, const Shared<engine::MetricQuery>& query,
                            const std::string& definition, PodIndex next, bool exposed_only);

}  // namespace sluice::api::metrics
