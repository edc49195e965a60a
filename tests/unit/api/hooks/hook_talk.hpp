// Plays a hook's conversation: the test says what the world answers, and sees what was asked.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "api/hooks/hook.hpp"

namespace sluice::api::hooks {

// A value that no message may ever hold.
inline const std::string canary = "canary-5f1d";

inline HookPod pod(const std::string& name, const std::string& ip) {
    return {name, name + "-uid", ip, R"({"metadata":{"name":")" + name + R"("}})"};
}

inline Transition transition(const std::string& hook, std::optional<HookPod> prev,
                             std::optional<HookPod> next) {
    return {hook, "shop", "es", {}, std::move(prev), std::move(next), "key-1"};
}

inline Result<Answer> answer(int status, std::string body = "") {
    return Answer{status, "application/json", std::move(body)};
}

inline Secret secret(const std::map<std::string, std::string>& texts) {
    Secret made;
    for (const auto& [key, text] : texts)
        made.data.emplace(key, Redacted{text});
    return made;
}

struct World {
    std::deque<Result<Answer>> answers;  // to requests, in order
    std::map<std::string, Result<Secret>> secrets;
};

struct Talk {
    std::vector<std::string> asked;  // "METHOD url body", "secret name"
    std::vector<Ask> requests;
    std::optional<HookVerdict> verdict;  // none: the world had no answer left
};

inline Talk play(const HookCatalogue& catalogue, const Transition& transition, World world) {
    Talk talk;
    Learnt learnt;
    while (true) {
        const HookStep step = next_step(catalogue, transition, learnt);
        if (const auto* verdict = std::get_if<HookVerdict>(&step)) {
            talk.verdict = *verdict;
            return talk;
        }
        if (const auto* need = std::get_if<NeedSecret>(&step)) {
            talk.asked.push_back("secret " + need->name);
            if (!world.secrets.contains(need->name)) return talk;
            learnt.secrets.emplace(need->name, world.secrets.at(need->name));
        }
        if (const auto* ask = std::get_if<Ask>(&step)) {
            const std::string body = ask->body.empty() ? "" : " " + ask->body;
            talk.asked.push_back(ask->method + " " + ask->url + body);
            talk.requests.push_back(*ask);
            if (world.answers.empty()) return talk;
            learnt.answers.push_back(world.answers.front());
            world.answers.pop_front();
        }
    }
}

}  // namespace sluice::api::hooks
