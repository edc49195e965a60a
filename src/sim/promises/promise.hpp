// A promise of docs/simulation.md watches what truly happens in a world, never an operator's view
// of it, and says when it is broken.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/effect.hpp"
#include "sim/api/admission.hpp"
#include "sim/apis/egress.hpp"
#include "sim/promises/history.hpp"

namespace sluice::sim {

class OperatorHost;

// Sees everything that happens.
class Observer {
  public:
    virtual ~Observer() = default;

    // A change in the API's storage, whoever made it.
    virtual void on_change(const Change&) {}
    // An operator changed a StatefulSet that was there; and in doing so lowered the gate while it
    // keeps its claim; so that pods go that had not been let go before; or gave its claim up.
    virtual void on_set_write(const SetWrite&) {}
    virtual void on_lowered(const SetWrite&) {}
    virtual void on_step(const SetWrite&) {}
    virtual void on_release(const SetWrite&) {}
    virtual void on_removal(const PodRemoval&) {}
    // A process begins: what the one before it knew is lost.
    virtual void on_start(const std::string&) {}
    virtual void on_log(const controller::Log&) {}
    // The run is over, and this operator has had time to settle.
    virtual void on_end(const OperatorHost&) {}

    // What promises about all rollouts ask of the APIs. Is there a cause, that others can see, to
    // take pods of this set back? Did a person say that pods need not be ready for this step? Did
    // somebody ask for this release?
    virtual bool has_cause_to_go_back(const json::object&, const LiveRead&) const { return false; }
    virtual bool excuses_pods(const SetWrite&) const { return false; }
    virtual bool asks_for_release(const SetWrite&) const { return false; }
};
using Observers = std::vector<std::unique_ptr<Observer>>;

struct Findings {
    std::vector<std::string> violations = {};  // each with its promise, the time and what happened
    std::set<std::string> tested = {};         // promises that were put to the test at least once
};

// What promises see and where they say what they found.
struct Inspection {
    Cluster& cluster;
    Egress& egress;
    History& history;
    Duration skew;  // how far the clock of an operator may be off
    Findings& findings;
    const Observers& observers;
};

class Promise : public Observer {
  public:
    static constexpr std::size_t violations_max = 50;

    Promise(std::string_view name, const Inspection& inspection) : in(inspection), name_(name) {}

    void tested() const { in.findings.tested.insert(name_); }
    template <class... Told>
    void broken(fmt::format_string<Told...> what, Told&&... told) const {
        tested();
        if (in.findings.violations.size() < violations_max)
            in.findings.violations.push_back(
                fmt::format("{} at {}: {}", name_, to_rfc3339(now()),
                            fmt::format(what, std::forward<Told>(told)...)));
    }
    Instant now() const { return in.cluster.now(); }

    const Inspection in;

  private:
    std::string name_;
};

// A promise that remembers nothing: its name, and how it judges what it is shown. What it knows
// beside the world it has from its Judge, which is a Promise.
template <class Judge = Promise>
struct Rule {
    std::string_view name;
    void (*on_change)(const Judge&, const Change&) = nullptr;
    void (*on_own_change)(const Judge&, const Change&) = nullptr;  // one that an operator made
    void (*on_set_write)(const Judge&, const SetWrite&) = nullptr;
    void (*on_lowered)(const Judge&, const SetWrite&) = nullptr;
    void (*on_step)(const Judge&, const SetWrite&) = nullptr;
    void (*on_release)(const Judge&, const SetWrite&) = nullptr;
    void (*on_removal)(const Judge&, const PodRemoval&) = nullptr;
    void (*on_log)(const Judge&, const controller::Log&) = nullptr;
};

template <class Judge>
class RuledPromise final : public Judge {
  public:
    template <class... Known>
    RuledPromise(const Rule<Judge>& rule, Known&... known)
        : Judge(rule.name, known...), rule_(rule) {}

    void on_change(const Change& seen) override {
        judge(rule_.on_change, seen);
        if (seen.user == operator_user) judge(rule_.on_own_change, seen);
    }
    void on_set_write(const SetWrite& seen) override { judge(rule_.on_set_write, seen); }
    void on_lowered(const SetWrite& seen) override { judge(rule_.on_lowered, seen); }
    void on_step(const SetWrite& seen) override { judge(rule_.on_step, seen); }
    void on_release(const SetWrite& seen) override { judge(rule_.on_release, seen); }
    void on_removal(const PodRemoval& seen) override { judge(rule_.on_removal, seen); }
    void on_log(const controller::Log& seen) override { judge(rule_.on_log, seen); }

  private:
    template <class Seen>
    void judge(void (*how)(const Judge&, const Seen&), const Seen& seen) const {
        if (how) how(*this, seen);
    }

    Rule<Judge> rule_;
};

// Adds one to a list: add<FencesRise>(all, "S3", inspection); or those of a table.
template <class Kind, class... Given>
void add(Observers& all, Given&&... given) {
    all.push_back(std::make_unique<Kind>(std::forward<Given>(given)...));
}
template <class Judge, std::size_t count, class... Known>
void add(Observers& all, const Rule<Judge> (&rules)[count], Known&... known) {
    for (const Rule<Judge>& rule : rules)
        add<RuledPromise<Judge>>(all, rule, known...);
}

// Those that hold whatever API steers a set.
void add_write_promises(Observers& all, const Inspection& inspection);    // of any object
void add_set_promises(Observers& all, const Inspection& inspection);      // of StatefulSets
void add_step_promises(Observers& all, const Inspection& inspection);     // of lowered gates
void add_removal_promises(Observers& all, const Inspection& inspection);  // of deleted pods
void add_view_promises(Observers& all, const Inspection& inspection);     // of operators' views

}  // namespace sluice::sim
