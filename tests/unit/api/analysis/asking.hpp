// Questions to Prometheus and to a web server, and what an inquiry makes of them, step by step.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "api/analysis/inquire.hpp"

namespace sluice::api::analysis::testing {

// A value that no text may ever hold.
inline const std::string canary = "canary/5f\"1d";
inline const std::vector<SecretArgument> login{{"token", {"login", "key"}}};

inline Learnt knowing(std::vector<Result<Answer>> answers = {},
                      std::map<std::string, std::string> annotations = {
                          {"sluice.dev/allowed-hosts", "shop"}}) {
    Learnt learnt;
    Secret secret;
    secret.data.emplace("key", Redacted{canary + "\n"});
    secret.annotations = std::move(annotations);
    learnt.secrets.emplace("login", std::move(secret));
    learnt.answers = std::move(answers);
    return learnt;
}
inline PrometheusQuestion prometheus() {
    PrometheusQuestion question;
    question.provider.address = "http://prom:9090/base";
    question.provider.query = "up";
    return question;
}
inline WebQuestion web(const std::string& url = "https://shop/ready") {
    WebQuestion question;
    question.provider.url = url;
    return question;
}
template <class Question>
FindingStep step(const Question& question, const Learnt& learnt = {}, const HostList& hosts = {}) {
    return inquire(question, "ns", hosts, learnt);
}
template <class Question>
Ask request(const Question& question, const Learnt& learnt = {}) {
    FindingStep next = step(question, learnt);
    const Ask* ask = std::get_if<Ask>(&next);
    EXPECT_NE(ask, nullptr);
    return ask ? *ask : Ask{};
}
template <class Question>
std::string why(const Question& question, const Learnt& learnt = {}, const HostList& hosts = {}) {
    FindingStep next = step(question, learnt, hosts);
    const Finding* found = std::get_if<Finding>(&next);
    const auto* failed = found ? std::get_if<NotMeasured>(found) : nullptr;
    return failed ? failed->why : "no refusal";
}
template <class Question>
Measured measured(const Question& question, const Learnt& learnt) {
    FindingStep next = step(question, learnt);
    const Finding* found = std::get_if<Finding>(&next);
    const auto* value = found ? std::get_if<Measured>(found) : nullptr;
    EXPECT_NE(value, nullptr) << why(question, learnt);
    return value ? *value : Measured{};
}

}  // namespace sluice::api::analysis::testing
