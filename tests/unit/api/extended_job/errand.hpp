// An ExtendedJob as tests see it: what is written down, and what the API server says of its Jobs.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "api/extended_job/decide.hpp"
#include "api/extended_job/output.hpp"
#include "api/extended_job/spec.hpp"
#include "api/extended_job/status.hpp"

namespace sluice::api::extended_job::testing {

inline constexpr Instant noon{1'790'000'000'000};

inline std::string spec_with(const std::string& trigger, const std::string& more = {}) {
    return R"({"trigger":)" + trigger + more +
           R"(,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main"}]}}})";
}
inline std::string strategy(const std::string& name) {
    return R"({"strategy":")" + name + R"("})";
}

struct Known {
    explicit Known(const std::string& trigger, const std::string& more = {}) {
        object.meta = {{"shop", "tidy-up"}, "uid-x", 7, 1, false};
        object.spec = spec_with(trigger, more);
    }

    model::CustomObject object;
    engine::Snapshot seen = {};
    Instant now = noon;

    Status status() const { return read_status(object); }
    const Run& run() {
        last_read = status();
        return last_read.active.at(0);
    }

    engine::Decision decided() const {
        engine::Snapshot look = seen;
        look.subject = ref_to(resource, object.meta.key);
        look.objects = {object};
        return decide(look, now);
    }
    // What the server has once the decision's writes to the object are through; false: there are
    // none.
    bool apply(const engine::Decision& decision) {
        for (const engine::Action& action : decision.actions) {
            if (action.object.ref.resource != &resource) continue;
            const auto patch = boost::json::parse(action.body);
            const auto& value = patch.as_array().back().at("value");
            if (action.of_status)
                object.status = boost::json::serialize(value);
            else
                set_strategy(std::string{value.as_string()});
            ++object.meta.resource_version;
            return true;
        }
        return false;
    }
    void set_strategy(const std::string& name) {
        boost::json::value spec = boost::json::parse(object.spec);
        spec.at("trigger").at("strategy") = name;
        object.spec = boost::json::serialize(spec);
        ++object.meta.generation;
    }
    // Until something else than the object is to be written or looked at.
    engine::Decision settled() {
        for (int i = 0; i < 10; ++i) {
            engine::Decision decision = decided();
            if (!decision.rests_on.empty() || !apply(decision)) return decision;
        }
        return {};
    }

    model::CustomObject job(const std::string& status) const {
        model::CustomObject one;
        one.meta = {{"shop", read_status(object).active.at(0).job}, "uid-job", 9, 1, false};
        one.owner_uid = "uid-x";
        one.status = status;
        return one;
    }
    // The Job was made, and is written down as made.
    void make_job() {
        seen.attempt = engine::Attempt{
            engine::Action::Verb::Create, {&model::jobs, "shop", run().job}, job("{}")};
        apply(decided());
        seen.attempt.reset();
    }
    // One that is no run's any more.
    void see_job_of(const std::string& name) {
        model::CustomObject one;
        one.meta = {{"shop", name}, "uid-job", 9, 1, false};
        one.owner_uid = "uid-x";
        seen.fetched = {{ref_to(model::jobs, one.meta.key), one}};
    }
    // It was looked at.
    void see_job(const std::string& status) {
        const model::CustomObject one = job(status);
        seen.fetched = {{ref_to(model::jobs, one.meta.key), one}};
    }
    // It was, and what became of it is written down.
    void end_job(const std::string& status) {
        see_job(status);
        apply(decided());
        seen.fetched.clear();
    }
    void see_no_job() { seen.fetched = {{{&model::jobs, "shop", run().job}, std::nullopt}}; }

    model::CustomObject& add_pod(const std::string& name, const std::string& status) {
        model::CustomObject pod;
        pod.meta = {{"shop", name}, "uid-" + name, 5, 1, false};
        pod.labels = {{"app", "web"}};
        pod.status = status;
        seen.neighbours.push_back(std::move(pod));
        return seen.neighbours.back();
    }
    // What the watch says of the pods is so.
    void see_pods() {
        for (const model::CustomObject& pod : seen.neighbours)
            seen.fetched.push_back({ref_to(neighbour_pods, pod.meta.key), pod});
    }

    Status last_read = {};
};

inline const std::string complete = R"({"conditions":[{"type":"Complete","status":"True"}]})";
inline const std::string failed =
    R"({"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]})";
inline const std::string ready =
    R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})";

inline const std::string for_ready_pods =
    R"({"strategy":"podstate","podstate":{"when":"ready","selector":{"matchLabels":{"app":"web"}}}})";

// So many Jobs have succeeded and are still to be deleted.
inline Status leaving(std::size_t jobs, Instant due) {
    Status status;
    status.pod_state = "ready";
    for (std::size_t i = 0; i < jobs; ++i)
        status.leaving.push_back({"job-" + std::to_string(i), due});
    return status;
}

}  // namespace sluice::api::extended_job::testing
