// How the effects of the controller are carried out.
#include <boost/asio/post.hpp>

#include "base/assert.hpp"
#include "model/json_text.hpp"
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

std::vector<Operator::Asker> Operator::make_askers() {
    std::vector<Asker> askers;
    for (const api::Inquiries& row : api::inquiries()) {
        const bool allow_local =
            row.is_about_metrics ? options_.allow_local_metrics : options_.allow_local_hooks;
        askers.push_back(
            {&row, std::make_unique<probe::Inquirer>(loop_, api_, plugin_caller_, row.subject,
                                                     allow_local, row.bounds)});
        askers.back().inquirer->forbid(addresses_);
    }
    return askers;
}

// Some questions move what a plugin steers, so only a leader asks. One who no longer leads hears of
// it and takes the question back.
void Operator::run_one(controller::Ask&& effect) {
    if (!leads()) {
        asio::post(loop_,
                   [this] { run(controller_.step(controller::Leadership{}, clock_.now())); });
        return;
    }
    const controller::Ticket ticket = effect.ticket;
    const auto done = [this, ticket](std::shared_ptr<const engine::Answer> answer) {
        asking_.erase(ticket);
        if (const auto* read = engine::opened<engine::MetricAnswer>(*answer))
            metrics_.metric_read(read->kind);
        step(controller::Answered{ticket, std::move(answer)});
    };
    for (const Asker& one : askers_) {
        auto inquiry = one.row->begin(*effect.question, {effect.ns, options_.allowed_metric_hosts});
        if (!inquiry) continue;
        asking_[ticket] = {&one, one.inquirer->begin(std::move(*inquiry), done)};
        return;
    }
    SLUICE_ASSERT(false);  // a question that nobody can ask
}

void Operator::run_one(controller::CancelQuestion&& effect) {
    const auto found = asking_.extract(effect.ticket);
    if (!found.empty()) found.mapped().first->inquirer->cancel(found.mapped().second);
}

void Operator::run_one(controller::SettingsTaken&& effect) {
    for (const api::Api& one : api::apis())
        if (const auto programs =
                one.declared.programs ? one.declared.programs(*effect.settings) : std::nullopt)
            plugin_caller_.keep(*programs);
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
        const auto said = model::parse_json(answer ? answer->body : "");
        const auto* servers = model::value_at(said, "/serverAddressByClientCIDRs");
        if (!servers || !servers->is_array()) return;
        for (const boost::json::value& one : servers->get_array())
            addresses_->add_server(model::text_at(one, "/serverAddress"));
    });
}

void Operator::run_one(controller::RolloutEnded&& effect) {
    metrics_.rollout_ended(effect.api, effect.outcome, effect.took);
}

void Operator::run_one(controller::Log&& effect) {
    log_line(effect.level, effect.text, effect.about);
}

}  // namespace sluice::operators
