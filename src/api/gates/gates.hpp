// What may guard each step of an update that an API makes itself, beside the pods: a pause, a check
// of Prometheus, a hook. How people write it, what is remembered of it, and the gates of a step.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/hooks/hook.hpp"
#include "api/metrics/check.hpp"
#include "api/status_parts.hpp"
#include "api/verb.hpp"
#include "base/numbers.hpp"
#include "base/time.hpp"
#include "engine/decision.hpp"
#include "engine/plan.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::gates {

// A rest between two steps.
struct Rest {
    std::optional<Duration> length = {};  // nothing: until somebody goes on
};

struct Gates {
    std::optional<Rest> pause = {};
    std::optional<metrics::Check> check = {};
    std::string hook = {};  // empty: none

    bool are_any() const { return pause || check || !hook.empty(); }
};
Gates read_gates(const Fields& fields);

// The rest in which a step is, or was last.
struct PauseStatus {
    int step = 0;  // that is, behind so many pods that are exposed
    Instant since = {};
    std::string promote = {};  // what the annotation said then, as a digest; another one ends it
    friend bool operator==(const PauseStatus&, const PauseStatus&) = default;
};

// What is remembered of the step that is waiting, in the status of the object.
struct Remembered {
    std::optional<PauseStatus> pause = {};
    std::optional<engine::CheckProgress> check = {};
    friend bool operator==(const Remembered&, const Remembered&) = default;
};

// What the gates of a step depend on, beside the step.
struct Circumstances {
    bool allow_unready = false;   // a person said: never mind those that were not updated yet
    std::string definition = {};  // what the counts of a check belong to
    std::optional<PauseStatus> pause = {};  // that has begun
    bool goes_on = false;                   // somebody ended it
    hooks::When when = hooks::When::Ready;  // the hook wants to be asked
    Duration hook_retry = 30s;
};
Circumstances circumstances_of(const Gates& gates, const Remembered& remembered,
                               const engine::Snapshot& seen, bool allow_unready);

// What people said last to go on, as a digest.
std::string promote_asked(const model::CustomObject& object);

// Adds to what is seen which hook is meant, and how far its checks have come.
void prepare(engine::Snapshot& seen, const Gates& gates, const Remembered& remembered);

// What is to be remembered once this is decided. `is_open`: a rollout is under way.
Remembered noted(Remembered remembered, const engine::Decision& decision,
                 const model::CustomObject& object, bool is_open, Instant now);

// The gates around a step. Both must outlive it.
class StepGates {
  public:
    StepGates(const Gates& gates, const Circumstances& now);

    // What the step is about: the hook hears of the pod that was exposed last and of the one that
    // goes next, or whose version does.
    struct Pods {
        std::optional<PodIndex> prev = {};
        std::optional<PodIndex> next = {};
        std::optional<PodIndex> may_be_broken = {};  // the lowest of those that go
    };
    // So many are exposed by then: there is a pause wherever some are, or where one has begun.
    std::vector<engine::Gate> before(PodCount exposed, const Pods& pods) const;
    std::vector<engine::Gate> after(PodIndex last, bool is_end) const;

  private:
    bool is_early() const { return !gates_.hook.empty() && now_.when == hooks::When::Running; }
    engine::PodsReady ready(std::optional<PodIndex> except) const;
    engine::Pause pause_at(int step, const Rest& rest) const;
    void add_hook(std::vector<engine::Gate>& all, std::optional<PodIndex> prev,
                  std::optional<PodIndex> next) const;

    const Gates& gates_;
    const Circumstances& now_;
    Shared<engine::MetricQuery> query_;
};

// For people: what guards it, and how far that has come.
void add_facts(std::vector<Fact>& facts, const Gates& gates, const Remembered& remembered);
// Ends the pause of a step, or goes on where it is not clear whether that is well. `reason`: of the
// status, which must say that there is one of these.
Reply promote(const Steered& steered, const std::string& reason, const std::string& phase,
              Instant now);

// The fields of it in a status, to read and to write.
inline constexpr std::array<std::string_view, 4> check_results{"None", "Passed", "Failed", "Error"};
inline constexpr auto status_fields = [](auto& json, auto& remembered) {
    constexpr std::size_t value_max = 256;
    json.part("pause", remembered.pause, [](auto& part, auto& pause) {
        part.always("step", pause.step)
            .field("since", pause.since)
            .field("promote", pause.promote, short_max);
    });
    json.part("check", remembered.check, [](auto& part, auto& check) {
        part.key("about", check.about, word_max)
            .field("since", check.since)
            .field("window", check.window)
            .always("tries", check.tries)
            .always("successes", check.successes)
            .always("failures", check.failures)
            .always("failed", check.failed)
            .word("lastResult", check.last_result, check_results)
            .field("lastValue", check.last_text, value_max)
            .field("lastTime", check.last);
    });
};

}  // namespace sluice::api::gates
