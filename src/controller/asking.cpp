// How the controller asks what a decision wants to know, and what it makes of the answers.
#include <typeinfo>

#include "base/assert.hpp"
#include "controller/controller.hpp"

namespace sluice::controller {

void Controller::stop_asking(Case& about) {
    if (about.asking) effects_.list.push_back(CancelQuestion{about.asking});
    tickets_.erase(about.asking);
    about.asking = 0;
}

bool Controller::is_asking(const Case& about, const engine::Probe& probe) {
    return about.asking && about.asked && about.asked->key == probe.key;
}

void Controller::ask(const engine::Snapshot& seen, const std::optional<engine::Probe>& probe) {
    Case& about = cases_[seen.subject];
    if (probe && is_asking(about, *probe)) return;
    stop_asking(about);
    if (!probe) return;
    about.asking = ++last_ticket_;
    about.asked = std::make_unique<engine::Probe>(*probe);
    tickets_[about.asking] = seen.subject;
    effects_.list.push_back(Ask{about.asking, seen.subject.ns, probe->question});
}

void Controller::on(Answered&& input, Instant now) {
    SLUICE_ASSERT(input.answer != nullptr);
    const auto found = tickets_.extract(input.ticket);
    if (found.empty()) return;
    Case& about = cases_[found.mapped()];
    if (about.asking != input.ticket || !about.asked) return;
    about.asking = 0;
    queue_.add(found.mapped(), now);
    keep(about, {about.asked->key, std::move(input.answer), now, about.asked->outlasts_step});
}

// Of answers of one type the last one counts.
void Controller::keep(Case& about, engine::Evidence evidence) {
    const engine::Answer& said = *evidence.answer;
    std::erase_if(about.evidence, [&](const engine::Evidence& one) {
        const engine::Answer& older = *one.answer;
        return typeid(older) == typeid(said);
    });
    about.evidence.push_back(std::move(evidence));
}

}  // namespace sluice::controller
