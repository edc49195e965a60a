// One run and the world that answers it: turns are taken, questions answered, and the status goes
// through its text each time, as it does in the API.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "api/analysis/measuring.hpp"
#include "tests/unit/api/changes.hpp"

namespace sluice::api::analysis::testing {

inline const Instant noon = *parse_rfc3339("2026-01-31T12:00:00Z");
inline const RunContext shop_run{"shop", "web-1", "uid-1"};

// The JSON of a metric of Prometheus, with further fields in front.
inline std::string metric_json(const std::string& name, const std::string& fields) {
    return R"({"name":")" + name + R"(",)" + fields + (fields.empty() ? "" : ",") +
           R"("provider":{"prometheus":{"address":"http://prom","query":"up"}}})";
}
inline std::string job_json(const std::string& name, const std::string& fields) {
    return R"({"name":")" + name + R"(",)" + fields + (fields.empty() ? "" : ",") +
           R"("provider":{"job":{"spec":{"template":{"spec":{}}}}}})";
}

inline RunSpec spec_of(const std::string& metrics, const std::string& more = "") {
    const auto spec =
        read_run_spec(api::testing::with_spec(R"({"metrics":[)" + metrics + "]" + more + "}"));
    EXPECT_TRUE(spec.has_value()) << (spec ? "" : to_text(spec.error()));
    return spec.value_or(RunSpec{});
}

inline RunStatus through_text(const RunStatus& status) {
    model::CustomObject object;
    object.status = write_run_status(status);
    return read_run_status(object);
}

using Reply = decltype(MeasurementAnswer::what);
inline Reply value(double number) {
    return Measured{language::Value(language::Value::Array{number}),
                    to_text(language::Value(language::Value::Array{number}))};
}
inline Reply error(const std::string& why = "no answer") {
    return NotMeasured{why};
}
inline Reply job(JobSeen::State state) {
    return JobSeen{state, ""};
}

// The metric that a question is about.
inline std::string metric_of(const Question& question) {
    const auto begin = question.key.find('/') + 1;
    return question.key.substr(begin, question.key.find('/', begin) - begin);
}

class RunWorld {
  public:
    explicit RunWorld(RunSpec spec) : spec_(std::move(spec)) {}

    const Turn& turn() {
        last_ = take_turn(spec_, status_, shop_run, answer_, now);
        status_ = through_text(last_.status);
        return last_;
    }
    // Answers the question that is open, at once.
    const Turn& answer(Reply reply) {
        EXPECT_TRUE(last_.question.has_value());
        if (last_.question) answer_ = MeasurementAnswer{last_.question->key, std::move(reply), now};
        return turn();
    }
    // Goes to the next time that something is due, and looks.
    const Turn& wait() {
        EXPECT_TRUE(last_.wake_at.has_value());
        if (last_.wake_at) now = *last_.wake_at;
        return turn();
    }
    void forget_answer() { answer_.reset(); }
    const RunStatus& status() const { return status_; }
    const MetricResult& result(const std::string& name) const {
        for (const MetricResult& one : status_.results)
            if (one.name == name) return one;
        ADD_FAILURE() << "no result of " << name;
        static const MetricResult none;
        return none;
    }
    RunSpec& spec() { return spec_; }
    const Turn& last() const { return last_; }

    Instant now = noon;

  private:
    RunSpec spec_;
    RunStatus status_;
    std::optional<MeasurementAnswer> answer_;
    Turn last_;
};

}  // namespace sluice::api::analysis::testing
