// What can be said about a PromQL expression without Prometheus: whether it is there, short enough,
// and closes what it opens. Whether it means anything, Prometheus says when it is asked first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::api::metrics {

// Longer ones are not written by people, and a GET has to carry them, percent-encoded.
inline constexpr std::size_t promql_bytes_max = 8u << 10;

// Nothing: no problem was seen. Otherwise what completes the sentence `<field>: ...`; of the
// expression it repeats nothing but a bracket or a quote. Positions count bytes from 1.
std::optional<std::string> promql_problem(std::string_view expr);

}  // namespace sluice::api::metrics
