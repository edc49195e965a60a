// What a run wants to know next, and what came back. A question is made of values alone and can be
// asked again at any time: asking twice measures once, because a Job has the name of its
// measurement and nothing else that is asked changes the world. Those about Jobs are never asked of
// anybody: job.hpp makes reads and writes of them. An answer counts only for the
// question with the same key, which names the run by UID, the metric with its definition, and the
// number of the measurement.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/analysis/substitute.hpp"
#include "api/jobs/job.hpp"
#include "base/time.hpp"
#include "language/value.hpp"

namespace sluice::api::analysis {

// In the texts of the provider, {{args.name}} stands for each of the Secrets.
struct PrometheusQuestion {
    Prometheus provider;
    std::vector<SecretArgument> secrets;
    // Of a range query, what now() is: when the question was made. The key does not hold it, so
    // that the same measurement is not asked twice; made anew, it is about the later time.
    Instant at = {};
    friend bool operator==(const PrometheusQuestion&, const PrometheusQuestion&) = default;
};
struct WebQuestion {
    Web provider;
    std::vector<SecretArgument> secrets;
    friend bool operator==(const WebQuestion&, const WebQuestion&) = default;
};
struct JobQuestion {
    enum class Act : std::uint8_t {
        Run,   // make it, or find it if it was made before
        Look,  // it was made; one that is gone is an error
        Stop,  // delete it and its pods
    };
    Act act = Act::Run;
    std::string name;     // of the Job
    std::string run_uid;  // its controller; a Job of another one is not ours
    std::string body;     // JSON of the Job; empty unless it is to run
    std::string retired;  // the Job of a measurement that is no longer kept; empty: none
    friend bool operator==(const JobQuestion&, const JobQuestion&) = default;
};

struct Question {
    std::string key;
    std::variant<PrometheusQuestion, WebQuestion, JobQuestion> what;
    friend bool operator==(const Question&, const Question&) = default;
};

// The value that conditions are about, and what the status shows of it.
struct Measured {
    language::Value value;
    std::string text;  // secrets are blotted out
};
using JobSeen = jobs::JobSeen;
struct NotMeasured {
    std::string why;  // a sentence; no secret
};
// A bound of ours was met before anybody was asked: it counts for nothing, and is asked again.
struct NotAsked {};
struct MeasurementAnswer {
    std::string key;
    std::variant<NotMeasured, Measured, JobSeen, NotAsked> what;
    Instant at;  // when it came
};

}  // namespace sluice::api::analysis
