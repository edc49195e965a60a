// What the simulator knows of each API, one row each: how it is known in a cluster, the words of
// its scenarios, its promises, its part in random worlds, its stories and its services. Whoever
// adds an API adds a folder and a row.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/json.hpp"

namespace sluice::sim {

struct Action;
struct AdmissionRequest;
struct Expectation;
struct Inspection;
struct RandomPart;
class Observer;
class OwnService;
using Observers = std::vector<std::unique_ptr<Observer>>;
namespace demo {
struct Story;
}

// A label by which a StatefulSet asks for an API, and the word for it in a scenario.
struct SetLabel {
    std::string_view key = {};
    std::string_view word = {};
    std::string_view usual = {};  // its value where a scenario gives none
};

// What an admission policy says no to.
struct PolicyRefusal {
    std::string policy;
    std::string why;
};

// A field of an object that reports on a rollout, and the word for it in a scenario.
struct ReportField {
    std::string_view word;
    std::string_view pointer;
};

struct Api {
    std::string_view name;  // as in src/api; also the part of its claims before the slash
    SetLabel label = {};
    std::string_view annotation = {};      // of a StatefulSet, beside those of all APIs
    std::string_view pod_annotation = {};  // the same, and of the pods of those that it has made
    // The objects that name a StatefulSet and report on its rollouts, and where they name it.
    std::string_view kind = {};
    std::string_view resource = {};
    std::string_view target = {};
    std::string_view finalizer = {};                    // that an operator puts on them
    std::span<const std::string_view> own_fields = {};  // that an operator takes away from them
    std::span<const std::string_view> judged = {};      // resources that its own promises judge
    bool lets_many_go = false;                          // pods in one step
    bool reports_on_set = false;                        // and on no object of its own
    bool owns_sets = false;                             // its objects make StatefulSets
    std::string_view claim_label = {};                  // of claims that its objects have
    // Its admission policies, beside those of all APIs, and what those in force make of a write and
    // say to it.
    std::span<const std::string_view> policies = {};
    void (*mutate)(const AdmissionRequest& request, boost::json::object& object) = nullptr;
    std::optional<PolicyRefusal> (*judge)(const AdmissionRequest& request,
                                          const boost::json::object& object) = nullptr;
    std::span<const ReportField> fields = {};        // of a report, beside those of all APIs
    std::span<const Action> (*actions)() = nullptr;  // null: none
    std::span<const Expectation> (*expectations)() = nullptr;
    void (*promises)(Observers& all, const Inspection& inspection) = nullptr;
    const RandomPart* random = nullptr;  // null: it steers nothing in random worlds
    std::span<const demo::Story> (*stories)() = nullptr;
    // What it asks outside of the cluster beside the services of all; null: nothing.
    std::unique_ptr<OwnService> (*service)() = nullptr;
};

std::span<const Api> apis();
// The API whose objects make this StatefulSet, by the kind of its owner; null: none of them.
const Api* api_of_owner(std::string_view kind);
// Of a StatefulSet that it has made: what it may change of the pods to be.
void erase_pod_annotation(json::object& set, const Api& maker);
// The API that steers what carries this claim; null: none of them.
const Api* api_of_claim(std::string_view claim);

// One table of all APIs behind these rows, which are of none.
template <class Row>
std::vector<Row> with_rows_of_apis(std::vector<Row> rows, std::span<const Row> (*Api::*table)()) {
    for (const Api& api : apis())
        if (api.*table)
            for (const Row& row : (api.*table)())
                rows.push_back(row);
    return rows;
}

}  // namespace sluice::sim
