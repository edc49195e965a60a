// The questions of an operator: to hooks, to Prometheus, to web servers, to plugins, and by Jobs.
#include <fmt/format.h>

#include "api/own_questions.hpp"
#include "sim/api/state.hpp"
#include "sim/world/operator_host.hpp"

namespace sluice::sim {

using api::analysis::JobQuestion;
using api::analysis::JobSeen;
using api::analysis::MeasurementAnswer;
using api::analysis::NotMeasured;

namespace {

std::string job_path(const std::string& ns, const std::string& name) {
    return fmt::format("/apis/batch/v1/namespaces/{}/jobs{}{}", ns, name.empty() ? "" : "/", name);
}

JobSeen seen_in(const json::object& job) {
    const json::object& status = object_at(job, "/status");
    const auto is_true = [&](const char* type) {
        const json::object* found = condition(status, type);
        return found && text_at(*found, "/status") == "True";
    };
    if (is_true("Complete")) return {JobSeen::State::Succeeded, ""};
    if (is_true("Failed"))
        return {JobSeen::State::Failed, text_at(*condition(status, "Failed"), "/reason")};
    return {JobSeen::State::Running, ""};
}

// What becomes of a question that never came back, as in production.
api::Reply::What unanswered(const api::analysis::Question& question, const std::string& why) {
    const auto* job = std::get_if<JobQuestion>(&question.what);
    if (job && job->act != JobQuestion::Act::Stop)
        return MeasurementAnswer{question.key, JobSeen{JobSeen::State::Unknown, ""}, {}};
    return MeasurementAnswer{question.key, NotMeasured{why}, {}};
}

Access access_of(const api::analysis::Question& question) {
    const auto* job = std::get_if<JobQuestion>(&question.what);
    return job && job->act != JobQuestion::Act::Look ? Access::Write : Access::Read;
}

Access access_of(const api::rollout_plugin::PluginLook&) {
    return Access::Write;
}

api::Reply::What unanswered(const api::rollout_plugin::PluginLook&, const std::string& why) {
    return api::rollout_plugin::PluginSight{.error = why};
}

}  // namespace

void OperatorHost::run_one(controller::AskMetric&& effect) {
    struct Reading {
        api::metrics::MetricReading said = {};
        std::optional<std::size_t> call = {};  // of the egress
    };
    auto reading = std::make_shared<Reading>();
    const controller::Ticket ticket = effect.ticket;
    asking_[ticket] = true;
    const auto said = [this, ticket](Reading what) {
        if (!asking_.erase(ticket)) return;
        if (what.call) egress_.heard(*what.call);
        step(controller::MetricAnswered{ticket, std::move(what.said)});
    };
    exchange(
        Access::Read,
        [this, reading, ticket, ns = effect.ns, query = std::move(effect.query)] {
            // Taken back before it left?
            if (!asking_.contains(ticket)) return;
            reading->said = egress_.ask(query, ns, cluster_.now(), options_.identity);
            reading->call = egress_.metric_calls().size() - 1;
        },
        [this, reading, said] {
            const Duration thinking = egress_.thinking_time();
            if (thinking > 0ms) return later(thinking, [reading, said] { said(*reading); });
            said(*reading);
        },
        [said](const runtime::RequestFailure& failed) {
            said({api::metrics::unknown(failed.message)});
        });
}

void OperatorHost::run_one(controller::AskHook&& effect) {
    auto verdict = std::make_shared<std::optional<api::pilot::HookVerdict>>();
    asking_[effect.ticket] = true;
    const auto said = [this, ticket = effect.ticket](bool allowed, std::string message) {
        if (asking_.erase(ticket))
            step(controller::HookAnswered{ticket, allowed, std::move(message)});
    };
    exchange(
        Access::Write,
        [this, verdict, ticket = effect.ticket, transition = std::move(effect.transition),
         hooks = effect.hooks] {
            // Taken back before it left?
            if (asking_.contains(ticket))
                *verdict = egress_.ask(*hooks, transition, cluster_.now());
        },
        [this, verdict, said] {
            const auto answer = [verdict, said] {
                if (*verdict) return said((*verdict)->allowed, (*verdict)->message);
                said(false, "the hook did not come to a verdict");
            };
            const Duration thinking = egress_.thinking_time();
            if (thinking > 0ms) return later(thinking, answer);
            answer();
        },
        [said](const runtime::RequestFailure&) { said(false, "the hook did not answer"); });
}

// What production's caller asks of the API server about a Job.
JobSeen OperatorHost::see_job(const JobQuestion& question, const std::string& ns) {
    const bool runs = question.act == JobQuestion::Act::Run;
    Response response =
        serve(runs ? "POST" : "GET", job_path(ns, runs ? "" : question.name), question.body);
    if (runs && response.status == 409) response = serve("GET", job_path(ns, question.name), {});
    const bool stops = question.act == JobQuestion::Act::Stop;
    if (stops && response.status == 404) return {JobSeen::State::Stopped, ""};
    if (response.status >= 300) return {JobSeen::State::Unknown, ""};
    const json::object& job = response.body.get_object();
    const std::string uid = text_at(job, "/metadata/uid");
    if (stops) {
        const json::object how{{"apiVersion", "v1"},
                               {"kind", "DeleteOptions"},
                               {"propagationPolicy", "Background"},
                               {"preconditions", json::object{{"uid", uid}}}};
        serve("DELETE", job_path(ns, question.name), json::serialize(how));
        return {JobSeen::State::Stopped, ""};
    }
    if (!question.retired.empty())
        see_job({JobQuestion::Act::Stop, question.retired, question.run_uid, {}, {}}, ns);
    return seen_in(job);
}

api::Reply::What OperatorHost::answer(const api::analysis::Question& question,
                                      const std::string& ns) {
    if (const auto* job = std::get_if<JobQuestion>(&question.what))
        return MeasurementAnswer{question.key, see_job(*job, ns), {}};
    return egress_.ask(question, ns, cluster_.now());
}

api::Reply::What OperatorHost::answer(const api::rollout_plugin::PluginLook& look,
                                      const std::string&) {
    return egress_.plugins.look(look, cluster_.now());
}

void OperatorHost::run_one(controller::AskOwn&& effect) {
    const controller::Ticket ticket = effect.ticket;
    const auto lost = [question = effect.question](const std::string& why) {
        return std::visit([&](const auto& one) { return unanswered(one, why); },
                          api::opened(*question).what);
    };
    auto reply = std::make_shared<api::Reply::What>(lost("no answer"));
    asking_[ticket] = true;
    const auto said = [this, ticket](api::Reply::What what) {
        if (!asking_.erase(ticket)) return;
        step(controller::OwnAnswered{ticket, std::make_shared<const api::Reply>(std::move(what))});
    };
    exchange(
        std::visit([](const auto& one) { return access_of(one); },
                   api::opened(*effect.question).what),
        [this, reply, ticket, question = effect.question, ns = effect.ns] {
            // Taken back before it left?
            if (!asking_.contains(ticket)) return;
            *reply = std::visit([&](const auto& one) { return answer(one, ns); },
                                api::opened(*question).what);
        },
        [this, reply, said] {
            const Duration thinking = egress_.thinking_time();
            if (thinking > 0ms) return later(thinking, [reply, said] { said(*reply); });
            said(*reply);
        },
        [lost, said](const runtime::RequestFailure& failed) { said(lost(failed.message)); });
}

void OperatorHost::run_one(controller::CancelQuestion&& effect) {
    asking_.erase(effect.ticket);
}

}  // namespace sluice::sim
