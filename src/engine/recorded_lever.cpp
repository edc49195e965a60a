#include "engine/recorded_lever.hpp"

#include "engine/report.hpp"

namespace sluice::engine {

Decision RecordedLever::wait(Phase phase, Reason reason, std::string message) const {
    Decision decision;
    decision.report = {phase, reason, std::move(message),
                       unblock_text(reason, seen_.workload, course_.commands, course_.name)};
    if (entry(reason).tone == Tone::Warning)
        decision.notices.push_back({reason, decision.report.message});
    return decision;
}

Decision RecordedLever::move(Memory memory, Partition to, StatusReport report) const {
    Decision decision;
    report.unblock = unblock_text(report.reason, seen_.workload, course_.commands, course_.name);
    decision.report = std::move(report);
    memory.partition = to;
    decision.memory = std::move(memory);
    return decision;
}

}  // namespace sluice::engine
