// The AnalysisRuns that objects of other APIs make: composed out of templates as they are at that
// moment, ended when nobody waits for them any more, and deleted when there are more than the
// history keeps. Whoever makes one gives it a name that can be given only once.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/analysis/call.hpp"
#include "api/analysis/compose.hpp"
#include "api/analysis/history.hpp"
#include "api/analysis/run.hpp"
#include "engine/decision.hpp"
#include "engine/plan.hpp"
#include "engine/snapshot.hpp"

namespace sluice::api::analysis {

// For whom runs are made.
struct RunsFor {
    const engine::Snapshot& seen;
    const model::CustomObject& object;
    std::string stable;  // revisions, as arguments name them
    std::string latest;
};

// Templates that were looked at, read once, and those that were not.
class TemplateCache {
  public:
    explicit TemplateCache(const engine::Snapshot& seen) : seen_(seen) {}

    FoundTemplate find(const TemplateRef& ref);

    std::vector<model::Ref> wants;

  private:
    using Name = std::pair<const model::Resource*, std::string>;
    const engine::Snapshot& seen_;
    std::map<Name, std::expected<Template, FieldErrors>> read_;
};

// The run that a call asks for. Where templates were not looked at yet they are wanted, and nothing
// is known. `is_waited_for`: it must come to an end by itself.
std::expected<RunSpec, FieldErrors> composed(TemplateCache& templates, const RunsFor& whom,
                                             const AnalysisCall& call, bool is_waited_for);

// The whole object but its spec. Its owner is its controller, so that it goes with it.
struct RunFrame {
    std::string ns;
    std::string name;
    const model::Resource* owner_kind = nullptr;
    std::string owner;
    std::string owner_uid;
    boost::json::object labels = {};
    std::map<std::string, std::string> annotations = {};
};
std::string run_body(RunFrame frame, const RunSpec& spec);

// The write that makes it, the templates that must be looked at first, or why it cannot be made or
// read.
using Making = std::variant<engine::Action, std::vector<model::Ref>, engine::Refused>;
using BodyOf = std::function<std::string(const RunSpec& spec)>;
Making make_run(const RunsFor& whom, const AnalysisCall& call, bool is_waited_for,
                const std::string& name, const BodyOf& body);

// Its namespace takes too much memory: nothing is kept of it but whose it is.
bool has_no_room(const model::CustomObject& run);

// What a run has come to, as a gate at this place.
engine::Analysis gate_of(std::string_view run, Phase phase, std::string_view why, int place);

// What a run is to its owner.
struct RunUse {
    bool is_of_now = false;      // of what is under way: it stays
    bool is_waited_for = false;  // it may go on
};
// Ends one that nobody waits for, or deletes the oldest one beyond the limits. Those that there is
// no room to read are left alone.
std::optional<engine::Action> tending_of(
    const engine::Snapshot& seen, const model::CustomObject& owner, const HistoryLimits& limits,
    const std::function<RunUse(const model::CustomObject&)>& use_of);

}  // namespace sluice::api::analysis
