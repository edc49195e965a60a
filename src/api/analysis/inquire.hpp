// A question to Prometheus or to a web server, as an inquiry: its Secrets, a token if it has a
// client, the request, and what the answer means.
//
// Promises: a Secret goes only to hosts that its annotation sluice.dev/allowed-hosts or the
// administrator lists, and a token only where the Secrets may go that it was given for; no Secret
// says which host is asked; no text that comes out holds a Secret or a token, even if the other
// side echoes it; any answer that is not what it should be is a sentence, never a value. Pure; the
// Inquirer does the asking.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "api/analysis/question.hpp"
#include "api/inquiry/hosts.hpp"
#include "api/inquiry/inquiry.hpp"

namespace sluice::api::analysis {

using Finding = std::variant<NotMeasured, Measured>;
using FindingStep = Step<Finding>;

// `ns` is where the Secrets are; `allowed` are the hosts that may be asked at all, empty: any.
FindingStep inquire(const PrometheusQuestion& question, const std::string& ns,
                    const HostList& allowed, const Learnt& learnt);
FindingStep inquire(const WebQuestion& question, const std::string& ns, const HostList& allowed,
                    const Learnt& learnt);

// The whole inquiry: the requests, and what the API server needs to give the Secrets.
Duration longest(const PrometheusQuestion& question);
Duration longest(const WebQuestion& question);

// How the questions of a run are asked but those about Jobs: they end in a MeasurementAnswer, whose
// time is left to whoever takes it. As many at once as checks of metrics.
std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking);

// What Prometheus answered: a vector is a list of numbers, a scalar a number, and a range is the
// list of all its samples, one series after the other.
Result<language::Value> samples_of(const Answer& answer);
// What a web server answered: what the path finds in JSON, or a text, in which no path leads
// anywhere.
Result<language::Value> document_of(const Answer& answer, const std::string& json_path);

// Whether `who` answered with a status from 200 to 299.
Result<void> is_served_by(std::string_view who, const Answer& answer);
Result<boost::json::value> json_in(const Answer& answer);

}  // namespace sluice::api::analysis
