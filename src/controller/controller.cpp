#include "controller/controller.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/assert.hpp"
#include "controller/sessions.hpp"

namespace sluice::controller {
namespace {

constexpr Duration policy_check_period = 5min;
constexpr Duration policy_check_again = 20s;  // after one that failed
// Reads and writes of workloads under way at once: enough to hide the server's latency, few enough
// to leave connections for others.
constexpr std::size_t in_flight_max = 16;

}  // namespace

Controller::Controller(Settings settings, std::span<const api::Api> apis)
    : settings_(std::move(settings)),
      sessions_(make_sessions(settings_, apis)),
      store_(watches_of(settings_, apis), settings_.namespace_bytes_max),
      queue_(settings_.seed),
      bucket_(settings_.qps, settings_.qps * 2),
      leads_(settings_.leads_at_once) {
    environment_.hook_retry = settings_.hook_retry;
    environment_.plugin_directory = settings_.plugin_directory;
    for (bool engine::Environment::* one : settings_.chosen)
        environment_.*one = true;
    environment_.home = settings_.config_namespace;
    environment_.fresh_key = settings_.fresh_key;
    for (const api::Api& api : apis) {
        if (!api::is_served(api, apis, settings_.apis)) continue;
        apis_.push_back({&api});
        if (api.declared.read) apis_.back().settings = api.declared.read({}).values;
    }
}

Effects Controller::step(Input input, Instant now) {
    std::visit([&](auto& one) { on(std::move(one), now); }, input);
    if (now >= policies_due_) {
        policies_due_ = now + policy_check_period;
        effects_.list.push_back(CheckPolicies{});
    }
    run_sessions(now);
    run_queue(now);
    effects_.wake_at = next_wake(now);
    return std::exchange(effects_, {});
}

void Controller::on(Tick&&, Instant) {}

void Controller::on(PoliciesSeen&& input, Instant now) {
    policies_answered_ = true;
    if (!input.installed) {  // not knowing changes nothing, and is not left at that for long
        policies_due_ = std::min(policies_due_, now + policy_check_again);
        return;
    }
    const auto seen = *input.installed ? engine::Guarantee::Prevent : engine::Guarantee::Detect;
    const bool is_news = seen != environment_.guarantee || !guarantee_known_;
    if (is_news || input.missing != policies_missing_) tell_guarantee(seen, input.missing);
    policies_missing_ = std::move(input.missing);
    environment_.guarantee = seen;
    guarantee_known_ = true;
    if (is_news) queue_all({}, now);
}

void Controller::tell_guarantee(engine::Guarantee seen, const std::vector<std::string>& missing) {
    if (seen == engine::Guarantee::Prevent)
        return log(Log::Level::Info,
                   "guarantee: Prevent. The admission policies keep others from opening a gate.");
    constexpr std::size_t told_max = 3;
    const std::size_t told = std::min(missing.size(), told_max);
    log(Log::Level::Info,
        fmt::format("guarantee: Detect. A gate that somebody else opens is closed again, but not "
                    "kept shut: that takes the admission policies of this version and Kubernetes "
                    "1.36.{}{}{}",
                    missing.empty() ? "" : " ", fmt::join(missing | std::views::take(told), "; "),
                    missing.size() > told ? fmt::format("; and {} more", missing.size() - told)
                                          : std::string{}));
}

void Controller::on(Leadership&& input, Instant now) {
    if (input.leads == leads_ && input.fence == fence_) return;
    leads_ = input.leads;
    fence_ = input.fence;
    environment_.fence = settings_.leads_at_once ? "" : encode(fence_);
    log(Log::Level::Info, leads_ ? "this operator leads" : "this operator does not lead");
    if (leads_) return queue_all({}, now);
    // What was learnt while leading may be untrue when we lead again.
    for (auto& [subject, about] : cases_) {
        stop_asking(about);
        about.evidence.clear();
        about.progress.reset();
        about.overtaken_since.reset();
        about.must_read = true;
    }
}

const Controller::ServedApi& Controller::served_as(std::string_view api) const {
    const auto found =
        std::ranges::find_if(apis_, [&](const ServedApi& one) { return one.api->name == api; });
    SLUICE_ASSERT(found != apis_.end());
    return *found;
}

void Controller::queue(const runtime::Touched& touched, Instant now) {
    for (const model::Ref& subject : touched)
        queue_.add(subject, now);
}

void Controller::queue_all(const std::string& ns, Instant now) {
    for (const model::Ref& subject : store_.everybody())
        if (ns.empty() || subject.ns == ns) queue_.add(subject, now);
}

void Controller::run_queue(Instant now) {
    // What is promised is written down from the first word on, so it must be known.
    if (!leads_ || draining_ || !policies_answered_) return;
    while (in_flight_ < in_flight_max && bucket_.has_tokens(now)) {
        const auto subject = queue_.take(now);
        if (!subject) return;
        reconcile(*subject, now);
    }
}

int Controller::watch_restarts(model::Form form) const {
    int restarts = 0;
    for (const runtime::WatchSession& session : sessions_) {
        if (session.scope().resource->form == form) restarts += session.restarts();
    }
    return restarts;
}

std::map<engine::Phase, int> Controller::rollouts_by_phase() const {
    std::map<engine::Phase, int> phases;
    for (const auto& [subject, about] : cases_)
        if (!about.api.empty() && served_as(about.api).api->steers_workloads())
            ++phases[about.phase];
    return phases;
}

std::optional<Instant> Controller::next_wake(Instant now) const {
    Instant wake = policies_due_;
    for (const runtime::WatchSession& session : sessions_) {
        if (const auto at = session.wake_at()) wake = std::min(wake, *at);
    }
    const bool works = leads_ && !draining_ && policies_answered_;
    // A full house is left by an answer, not by a tick.
    if (!works || in_flight_ >= in_flight_max) return wake;
    const Instant affordable = bucket_.refilled_at(now);
    if (const auto due = queue_.next_due()) wake = std::min(wake, std::max(*due, affordable));
    if (queue_.depth() > 0) wake = std::min(wake, affordable);
    return wake;
}

void Controller::log(Log::Level level, std::string text, model::Ref about) {
    effects_.list.push_back(Log{level, std::move(text), std::move(about)});
}

}  // namespace sluice::controller
