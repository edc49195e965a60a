// Each gate is a question about where a workload stands, with a verdict for an answer.
#pragma once

#include "engine/plan.hpp"
#include "engine/standing.hpp"
#include "engine/verdict.hpp"

namespace sluice::engine {

Verdict judge(const PodsReady& gate, const Standing& standing, Instant now);
Verdict judge(const PodsRunning& gate, const Standing& standing, Instant now);
Verdict judge(const RevisionSettled& gate, const Standing& standing, Instant now);
Verdict judge(const SettleTime& gate, const Standing& standing, Instant now);
Verdict judge(const HookApproval& gate, const Standing& standing, Instant now);
Verdict judge(const Pause& gate, const Standing& standing, Instant now);
Verdict judge(const Analysis& gate, const Standing& standing, Instant now);
Verdict judge(const JobSuccess& gate, const Standing& standing, Instant now);
Verdict judge(const Refused& gate, const Standing& standing, Instant now);
Verdict judge(const ExposureReached& gate, const Standing& standing, Instant now);
Verdict judge(const MetricCheck& gate, const Standing& standing, Instant now);

// Why a hook cannot be asked: there is none of that name, or its declaration is broken.
Reason reason_of(const Error& hook_problem);

// A wait that is usually over in seconds: silent at first, told when it lasts.
Hold brief_hold(Reason reason, std::string message, const Snapshot& seen, Instant now);

// The sentence for "this pod was let go and is not back yet": also what the write that lets it go
// says, so that waiting for it costs no further write.
std::string waiting_for_pod(const std::string& pod);
// The same for "nothing is exposed yet".
std::string waiting_text(const Standing& standing);

}  // namespace sluice::engine
