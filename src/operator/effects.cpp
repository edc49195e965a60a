// How the effects of the controller are carried out.
#include <boost/asio/post.hpp>
#include <boost/json.hpp>

#include "base/assert.hpp"
#include "operator/log.hpp"
#include "operator/process.hpp"

namespace sluice::operators {

namespace asio = boost::asio;
using controller::Log;

void Operator::run_one(controller::StartWatch&& effect) {
    const controller::SessionId id = effect.session;
    watches_[id] = cluster_.watch(effect, [this, id](controller::Input input) {
        if (!std::holds_alternative<controller::EventsArrived>(input)) watches_.erase(id);
        step(std::move(input));
    });
}

void Operator::run_one(controller::StopWatch&& effect) {
    const auto found = watches_.extract(effect.session);
    if (!found.empty()) cluster_.cancel(found.mapped());
}

// One row for each type of question: who asks it, and who is told to stop.
std::vector<Operator::Asker> Operator::make_askers() {
    using Done = Asker::Done;
    using engine::answer_of;
    return {
        asker<api::pilot::HookCall>(
            hooks_,
            [this](const std::string&, const api::pilot::HookCall& call, const Done& done) {
                return hooks_.call(
                    call.hooks, call.transition,
                    [done](api::pilot::HookVerdict said) { done(answer_of(std::move(said))); });
            }),
        asker<engine::MetricQuery>(
            metric_caller_,
            [this](const std::string& ns, const engine::MetricQuery& query, const Done& done) {
                return metric_caller_.ask(ns, query,
                                          [this, done](const api::metrics::MetricReading& reading) {
                                              metrics_.metric_read(reading.kind);
                                              done(answer_of(to_answer(reading)));
                                          });
            }),
        asker<api::analysis::Question>(
            analysis_caller_,
            [this](const std::string& ns, const api::analysis::Question& asked, const Done& done) {
                return analysis_caller_.ask(ns, asked,
                                            [done](api::analysis::MeasurementAnswer answer) {
                                                done(answer_of(std::move(answer)));
                                            });
            }),
        asker<api::rollout_plugin::PluginProbe>(
            plugin_looks_,
            [this](const std::string&, const api::rollout_plugin::PluginProbe& look,
                   const Done& done) {
                return plugin_looks_.begin(
                    look, [done](api::rollout_plugin::PluginObservation observation) {
                        done(answer_of(std::move(observation)));
                    });
            }),
    };
}

// Some questions make Jobs or move what a plugin steers, so only a leader asks. One who no longer
// leads hears of it and takes the question back.
void Operator::run_one(controller::Ask&& effect) {
    if (!leads()) {
        asio::post(loop_,
                   [this] { run(controller_.step(controller::Leadership{}, clock_.now())); });
        return;
    }
    const controller::Ticket ticket = effect.ticket;
    const auto done = [this, ticket](std::shared_ptr<const engine::Answer> answer) {
        asking_.erase(ticket);
        step(controller::Answered{ticket, std::move(answer)});
    };
    for (const Asker& one : askers_) {
        const std::uint64_t call = one.ask(effect.ns, *effect.question, done);
        if (call == 0) continue;
        asking_[ticket] = {&one, call};
        return;
    }
    SLUICE_ASSERT(false);  // a question that nobody can ask
}

void Operator::run_one(controller::CancelQuestion&& effect) {
    const auto found = asking_.extract(effect.ticket);
    if (!found.empty()) found.mapped().first->cancel(found.mapped().second);
}

void Operator::run_one(controller::SettingsTaken&& effect) {
    using api::rollout_plugin::PluginCatalogue;
    if (const auto* plugins = dynamic_cast<const PluginCatalogue*>(effect.settings.get()))
        plugin_caller_.declare(plugins->declared);
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
