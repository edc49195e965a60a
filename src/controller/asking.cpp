// How the controller asks what a decision wants to know, and what it makes of the answers.
#include <fmt/format.h>

#include <cmath>

#include "base/assert.hpp"
#include "controller/controller.hpp"

namespace sluice::controller {
namespace {

std::optional<api::pilot::HookPod> pod_of(const std::optional<engine::PodRef>& pod) {
    if (!pod) return std::nullopt;
    return api::pilot::HookPod{pod->name, pod->uid, {}, {}};
}

std::string text_of(const api::metrics::MetricReading& reading) {
    using Kind = api::metrics::MetricReading::Kind;
    if (reading.kind == Kind::Unknown) return reading.message;
    if (reading.kind == Kind::NoData) return "no data";
    std::string text = reading.value ? fmt::format("{:.6g}", *reading.value) : "no number";
    if (reading.series > 1) text += fmt::format(" and {} more", reading.series - 1);
    return text;
}

engine::MetricEvidence evidence_of(const api::metrics::MetricReading& reading, std::string key,
                                   Instant at) {
    using Kind = api::metrics::MetricReading::Kind;
    using Seen = engine::MetricEvidence::Kind;
    const Seen kind = reading.kind == Kind::Data     ? Seen::Data
                      : reading.kind == Kind::NoData ? Seen::NoData
                                                     : Seen::Unknown;
    const bool is_number = !reading.value || !std::isnan(*reading.value);
    return {std::move(key), kind, is_number, reading.misconfigured, text_of(reading), at};
}

}  // namespace

void Controller::stop_asking(Case& about) {
    if (about.asking) effects_.list.push_back(CancelQuestion{about.asking});
    tickets_.erase(about.asking);
    about.asking = 0;
}

void Controller::ask(const engine::Snapshot& seen, const std::optional<engine::Probe>& probe) {
    Case& about = cases_[seen.subject];
    const bool same = probe && about.asked && is_same_question(*probe, *about.asked);
    if (about.asking && !same) stop_asking(about);
    if (!probe || about.asking) return;
    about.asking = ++last_ticket_;
    about.asked = std::make_unique<engine::Probe>(*probe);
    tickets_[about.asking] = seen.subject;
    effects_.list.push_back(
        std::visit([&](const auto& one) { return question(about.asking, seen, one); }, *probe));
}

Effect Controller::question(Ticket ticket, const engine::Snapshot& seen,
                            const engine::HookProbe& probe) const {
    api::pilot::Transition transition{.hook = probe.hook,
                                      .ns = seen.subject.ns,
                                      .statefulset = seen.subject.name,
                                      .annotations = seen.workload.annotations,
                                      .prev = pod_of(probe.prev),
                                      .next = pod_of(probe.next),
                                      .idempotency_key = probe.key};
    auto hooks = std::static_pointer_cast<const api::pilot::HookCatalogue>(seen.settings);
    return AskHook{ticket, std::move(transition), std::move(hooks)};
}

Effect Controller::question(Ticket ticket, const engine::Snapshot& seen,
                            const engine::MetricProbe& probe) const {
    return AskMetric{ticket, seen.subject.ns, probe.query};
}

Effect Controller::question(Ticket ticket, const engine::Snapshot& seen,
                            const engine::OwnProbe& probe) const {
    return AskOwn{ticket, seen.subject.ns, probe.question};
}

// The workload that asked, if it still waits for the answer to this question; it is looked at next.
Controller::Case* Controller::take_question(Ticket ticket, Instant now) {
    const auto found = tickets_.extract(ticket);
    if (found.empty()) return nullptr;
    Case& about = cases_[found.mapped()];
    if (about.asking != ticket || !about.asked) return nullptr;
    about.asking = 0;
    queue_.add(found.mapped(), now);
    return &about;
}

void Controller::on(HookAnswered&& input, Instant now) {
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::HookProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->evidence = std::make_unique<engine::HookEvidence>(engine::HookEvidence{
        asked->key, asked->binding, input.allowed, std::move(input.message), now});
}

void Controller::on(MetricAnswered&& input, Instant now) {
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::MetricProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->reading = std::make_unique<engine::MetricEvidence>(
        evidence_of(input.reading, asked->key, in_whole_seconds(now)));
}

void Controller::on(OwnAnswered&& input, Instant now) {
    SLUICE_ASSERT(input.answer != nullptr);
    Case* about = take_question(input.ticket, now);
    const auto* asked = about ? std::get_if<engine::OwnProbe>(about->asked.get()) : nullptr;
    if (!asked) return;
    about->answer = std::make_unique<engine::OwnEvidence>(
        engine::OwnEvidence{asked->key, std::move(input.answer), in_whole_seconds(now)});
}

}  // namespace sluice::controller
