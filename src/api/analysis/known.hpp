// The metrics of a run once its arguments are known: nothing is left open but Secrets, which only a
// question to Prometheus or to a web server may hold. Everything that can be wrong without asking
// anybody is found here: arguments that are missing, numbers and durations that are none,
// conditions and paths that cannot be read, limits that contradict each other, and providers that
// this operator does not serve, by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/analysis/run.hpp"
#include "api/analysis/substitute.hpp"
#include "language/expression.hpp"

namespace sluice::api::analysis {

// What holds for one metric.
struct Treatment {
    bool dry_run = false;
    std::size_t measurements_max = 10;
    friend bool operator==(const Treatment&, const Treatment&) = default;
};

struct KnownMetric {
    std::string name;
    std::optional<Duration> interval;
    Duration initial_delay{0};
    std::optional<int> count;  // nothing: until the run ends
    std::optional<language::Expression> success;
    std::optional<language::Expression> failure;
    int failure_limit = 0;  // below 0: any number
    int inconclusive_limit = 0;
    int consecutive_error_limit = 4;
    int consecutive_success_limit = 0;  // 0: none are asked for
    Provider provider;
    std::vector<SecretArgument> secrets;  // those that the provider's texts hold
    Treatment treatment;
    std::string digest;  // tells this definition from others
};

// The errors are at least one.
std::expected<std::vector<KnownMetric>, FieldErrors> known_metrics(const RunSpec& spec);

// The first metric that ends only with the run. A step cannot wait for it.
const KnownMetric* endless(const std::vector<KnownMetric>& metrics);

}  // namespace sluice::api::analysis
