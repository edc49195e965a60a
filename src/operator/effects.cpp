// How the effects of the controller are carried out.
#include <boost/asio/post.hpp>
#include <boost/json.hpp>

#include "api/own_questions.hpp"
#include "operator/log.hpp"
#include "operator/process.hpp"

namespace sluice::operators {

namespace asio = boost::asio;
using controller::Log;

void Operator::run_one(controller::StartList&& effect) {
    cluster_.list(effect.scope, effect.request,
                  [this, id = effect.session](kube::Answer<model::ListPage> answer) {
                      if (answer)
                          step(controller::PageArrived{id, std::move(*answer)});
                      else
                          step(controller::SessionFailed{id, std::move(answer.error())});
                  });
}

void Operator::run_one(controller::StartWatch&& effect) {
    const controller::SessionId id = effect.session;
    watches_[id] = cluster_.watch(
        effect.scope, effect.request,
        [this, id](std::vector<model::WatchEvent> events) {
            step(controller::EventsArrived{id, std::move(events)});
        },
        [this, id](std::optional<runtime::RequestFailure> failed) {
            watches_.erase(id);
            if (failed)
                step(controller::SessionFailed{id, std::move(*failed)});
            else
                step(controller::WatchEnded{id});
        });
}

void Operator::run_one(controller::StopWatch&& effect) {
    const auto found = watches_.extract(effect.session);
    if (!found.empty()) cluster_.cancel(found.mapped());
}

void Operator::run_one(controller::ReadWorkload&& effect) {
    cluster_.read_workload(
        effect.subject, std::move(effect.objects),
        [this, ticket = effect.ticket](kube::Answer<controller::LiveWorkload> answer) {
            step(controller::WorkloadRead{ticket, std::move(answer)});
        });
}

void Operator::run_one(controller::PatchWorkload&& effect) {
    cluster_.patch_workload(
        effect.key, effect.json_patch,
        [this, ticket = effect.ticket](kube::Answer<model::StatefulSet> answer) {
            step(controller::WorkloadPatched{ticket, std::move(answer)});
        });
}

void Operator::run_one(controller::PatchObject&& effect) {
    cluster_.patch_object(effect.object, effect.of_status, effect.json_patch,
                          [this, ticket = effect.ticket](kube::Answer<model::CustomObject> answer) {
                              step(controller::ObjectPatched{ticket, std::move(answer)});
                          });
}

void Operator::run_one(controller::CreateObject&& effect) {
    cluster_.create_object(
        *effect.resource, effect.ns, effect.body,
        [this, ticket = effect.ticket](kube::Answer<model::CustomObject> answer) {
            step(controller::ObjectPatched{ticket, std::move(answer)});
        });
}

void Operator::run_one(controller::DeleteObject&& effect) {
    cluster_.delete_object(effect.object, effect.uid,
                           [this, ticket = effect.ticket](kube::Answer<void> answer) {
                               step(controller::Deleted{ticket, std::move(answer)});
                           });
}

void Operator::run_one(controller::DeletePod&& effect) {
    cluster_.delete_pod(effect.key, effect.uid, effect.version,
                        [this, ticket = effect.ticket](kube::Answer<void> answer) {
                            step(controller::Deleted{ticket, std::move(answer)});
                        });
}

void Operator::run_one(controller::AskHook&& effect) {
    const controller::Ticket ticket = effect.ticket;
    asking_[ticket] = hooks_.call(
        effect.hooks, std::move(effect.transition),
        [this, ticket](api::pilot::HookVerdict verdict) {
            asking_.erase(ticket);
            step(controller::HookAnswered{ticket, verdict.allowed, std::move(verdict.message)});
        });
}

void Operator::run_one(controller::AskMetric&& effect) {
    const controller::Ticket ticket = effect.ticket;
    measuring_[ticket] = metric_caller_.ask(
        effect.ns, std::move(effect.query), [this, ticket](api::metrics::MetricReading reading) {
            measuring_.erase(ticket);
            metrics_.metric_read(reading.kind);
            step(controller::MetricAnswered{ticket, std::move(reading)});
        });
}

// Some of them make Jobs or move what a plugin steers, so only a leader asks. One who no longer
// leads hears of it and takes the question back.
void Operator::run_one(controller::AskOwn&& effect) {
    if (!leads()) {
        asio::post(loop_,
                   [this] { run(controller_.step(controller::Leadership{}, clock_.now())); });
        return;
    }
    std::visit([&](const auto& question) { ask(effect.ticket, effect.ns, question); },
               api::opened(*effect.question).what);
}

void Operator::ask(controller::Ticket ticket, const std::string& ns,
                   const api::analysis::Question& question) {
    analysing_[ticket] =
        analysis_caller_.ask(ns, question, [this, ticket](api::analysis::MeasurementAnswer answer) {
            analysing_.erase(ticket);
            step(controller::OwnAnswered{ticket,
                                         std::make_shared<const api::Reply>(std::move(answer))});
        });
}

void Operator::ask(controller::Ticket ticket, const std::string&,
                   const api::rollout_plugin::PluginLook& look) {
    looking_[ticket] = plugin_looks_.begin(look, [this,
                                                  ticket](api::rollout_plugin::PluginSight sight) {
        looking_.erase(ticket);
        step(controller::OwnAnswered{ticket, std::make_shared<const api::Reply>(std::move(sight))});
    });
}

void Operator::run_one(controller::CancelQuestion&& effect) {
    if (const auto found = asking_.extract(effect.ticket); !found.empty())
        hooks_.cancel(found.mapped());
    if (const auto found = measuring_.extract(effect.ticket); !found.empty())
        metric_caller_.cancel(found.mapped());
    if (const auto found = analysing_.extract(effect.ticket); !found.empty())
        analysis_caller_.cancel(found.mapped());
    if (const auto found = looking_.extract(effect.ticket); !found.empty())
        plugin_looks_.cancel(found.mapped());
}

void Operator::run_one(controller::SettingsTaken&& effect) {
    using api::rollout_plugin::PluginCatalogue;
    if (const auto* plugins = dynamic_cast<const PluginCatalogue*>(effect.settings.get()))
        plugin_caller_.declare(plugins->declared);
}

void Operator::run_one(controller::PostEvent&& effect) {
    cluster_.post_event(effect, identity_, [](const kube::Answer<void>& answer) {
        if (!answer) log_line(Log::Level::Warning, answer.error().message);
    });
}

void Operator::run_one(controller::CheckPolicies&&) {
    learn_server_addresses();
    cluster_.check_policies(policies_, [this](kube::Answer<std::vector<std::string>> answer) {
        if (answer) return step(controller::PoliciesSeen{answer->empty(), std::move(*answer)});
        log_line(Log::Level::Warning, answer.error().message);
        step(controller::PoliciesSeen{});
    });
}

// Behind the address that we dial may be others: each server says where it is itself.
void Operator::learn_server_addresses() {
    api_.send({.path = "/api"}, [this](const kube::ApiResult<kube::ApiResponse>& answer) {
        boost::system::error_code broken;
        const auto said = boost::json::parse(answer ? answer->body : "", broken);
        const auto* servers =
            broken ? nullptr : said.find_pointer("/serverAddressByClientCIDRs", broken);
        if (!servers || !servers->is_array()) return;
        for (const boost::json::value& one : servers->get_array())
            if (const auto* at = one.find_pointer("/serverAddress", broken); at && at->is_string())
                addresses_->add_server(at->get_string());
    });
}

void Operator::run_one(controller::RolloutEnded&& effect) {
    metrics_.rollout_ended(effect.api, effect.outcome, effect.took);
}

void Operator::run_one(controller::Log&& effect) {
    log_line(effect.level, effect.text, effect.about);
}

}  // namespace sluice::operators
