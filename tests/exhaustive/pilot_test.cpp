// Every course that a small rollout can take: all interleavings of the StatefulSet controller, the
// kubelets and the pilot with up to a few disturbances by people and faults, in a set of at most
// three pods and three revisions. After every step the promises are checked on the true state.
#include <gtest/gtest.h>

#include <deque>
#include <unordered_set>

#include "tests/exhaustive/promises.hpp"

namespace sluice::exhaustive {
namespace {

using engine::Reason;

struct Course {
    Rules rules;
    int disturbances_max;
    int replicas;
};

// What happened last, and where it happened: to tell the whole story of a violation.
struct Origin {
    World before;
    const char* what = "the beginning";
    int cost = 0;
};

class Exploration {
  public:
    explicit Exploration(const Course& course) : course_(course) {}
    void run(const World& first);
    std::size_t states() const { return origins_.size(); }
    std::size_t looks() { return pilot_.looks(); }
    int count(const char* what) const {
        const auto found = times_.find(what);
        return found == times_.end() ? 0 : found->second;
    }

  private:
    void expand(const World& world);
    void people(const World& world);
    void faults(const World& world);
    void kubernetes(const World& world);
    void operators(const World& world);

    void reach(const World& from, World to, const char* what, int cost);
    void complain(const World& world, const Complaint& complaint);
    void check_quiet(World world);
    void check_end(const World& world);
    bool is_at_its_end(const World& world);
    World benign_round(World world);
    void commit(World& world);

    bool is_guarded(const World& world) const {
        return course_.rules.policies && (world.label || pilot_.is_claimed(world));
    }
    bool is_zero_refused(const World& world) const {
        const std::string phase = pilot_.phase(world);
        return is_guarded(world) && (phase == "Waiting" || phase == "Rolling" || phase == "Held" ||
                                     world.current != world.update);
    }

    Course course_;
    Steersman pilot_;
    std::unordered_map<World, Origin, WorldHash> origins_;
    std::unordered_set<World, WorldHash> ends_well_;
    std::deque<World> queue_;
    std::map<std::string_view, int> times_;
};

void Exploration::run(const World& first) {
    origins_[first] = {};
    queue_.push_back(first);
    while (!queue_.empty() && !::testing::Test::HasFailure()) {
        const World world = queue_.front();
        queue_.pop_front();
        expand(world);
    }
}

// Courses of fewer disturbances come first, so that each world is reached at its lowest price.
void Exploration::reach(const World& from, World to, const char* what, int cost) {
    const int total = origins_.at(from).cost + cost;
    if (to == from || total > course_.disturbances_max) return;
    ++times_[what];
    const auto known = origins_.find(to);
    if (known != origins_.end() && known->second.cost <= total) return;
    origins_[to] = {from, what, total};
    if (cost == 0)
        queue_.push_front(to);
    else
        queue_.push_back(to);
}

void Exploration::expand(const World& world) {
    complain(world, broken_by_patience(world, pilot_));
    check_quiet(world);
    check_end(world);
    kubernetes(world);
    operators(world);
    people(world);
    faults(world);
}

void Exploration::people(const World& world) {
    for (std::uint8_t revision = 0; revision < 3; ++revision) {
        World next = world;
        change_template(next, revision, is_guarded(world));
        if (revision != world.wanted) reach(world, next, "the user changes the template", 1);
    }
    for (int replicas = 0; replicas <= pods_max; ++replicas) {
        World next = world;
        scale(next, replicas);
        const bool refused = replicas == 0 && is_zero_refused(world);
        if (replicas != world.replicas && !refused) reach(world, next, "the user scales", 1);
    }
    World next = world;
    next.label = !world.label;
    if (world.sent && pilot_.write(world.sent).moves) next.sent = 0;
    reach(world, next, world.label ? "the label is removed" : "the label is added", 1);
    next = world;
    next.paused = !world.paused;
    next.sent = 0;
    reach(world, next, world.paused ? "the user resumes" : "the user pauses", 1);
    if (is_guarded(world)) return;
    next = world;
    set_partition(next, 0);
    if (world.partition != 0) reach(world, next, "somebody opens the gate", 1);
}

void Exploration::faults(const World& world) {
    for (int index = 0; index < pods_max; ++index) {
        if (!world.pods[at(index)].exists()) continue;
        World next = world;
        set_ready(next, index, false);
        reach(world, next, "a pod becomes unready", 1);
        next = world;
        remove_pod(next, index);
        reach(world, next, "a pod is deleted", 1);
    }
    World next = world;
    next.evidence = 0;
    next.allowed = next.fresh = next.patient = false;
    reach(world, next, "the operator crashes", 1);
    next = world;
    next.sent = 0;
    reach(world, next, "a write is lost", 1);
    next = world;
    next.fresh = false;
    next.patient = true;
    if (next.memory.corrected == 1) next.memory.corrected = 2;
    reach(world, next, "a minute passes", 1);
    const Look& look = pilot_.look(world);
    if (!look.probe || world.sent) return;
    next = world;
    next.evidence = look.probe;
    next.allowed = false;
    next.fresh = true;
    reach(world, next, "the hook refuses", 1);
}

void Exploration::kubernetes(const World& world) {
    World next = world;
    const bool answerable = course_.rules.policies && pilot_.is_steered(world);
    complain(world, act(next, course_.rules, answerable));
    reach(world, next, "the StatefulSet controller acts", 0);
    next = world;
    tell(next);
    next.patient = next.patient && next == world;
    reach(world, next, "the StatefulSet controller reports", 0);
    for (int index = 0; index < pods_max; ++index) {
        if (!world.pods[at(index)].exists() || world.pods[at(index)].ready) continue;
        next = world;
        set_ready(next, index, true);
        reach(world, next, "a pod becomes ready", 0);
    }
}

void Exploration::operators(const World& world) {
    World next = world;
    if (world.sent) {
        commit(next);
        return reach(world, next, "the write is applied", 0);
    }
    const Look& look = pilot_.look(world);
    if (look.write) {
        complain(world, broken_by_write(world, look, pilot_));
        next.sent = look.write;
        reach(world, next, look.takes_step ? "the pilot lets a pod go" : "the pilot writes", 0);
    }
    if (!look.probe) return;
    next = world;
    next.evidence = look.probe;
    next.allowed = next.fresh = true;
    reach(world, next, "the hook allows", 0);
}

void Exploration::commit(World& world) {
    const Write& write = pilot_.write(world.sent);
    world.sent = 0;
    world.report = write.report;
    world.memory = write.memory;
    world.patient = false;
    if (!write.moves) return;
    if (write.partition > world.partition) world.raised = false;
    for (int index = 0; index < pods_max; ++index) {
        const bool exposed = index >= write.partition && index < world.replicas;
        world.let_go[at(index)] = exposed ? world.wanted : nobody;
    }
    world.partition = write.partition;
    world.observed = false;
    world.evidence = 0;
    world.allowed = world.fresh = false;
}

// L5: what the pilot writes leads to a state in which it writes no more.
void Exploration::check_quiet(World world) {
    constexpr int writes_max = 3;
    if (world.sent) return;
    for (int writes = 0; pilot_.look(world).write; ++writes) {
        if (writes == writes_max) return complain(world, "the pilot writes again and again");
        world.sent = pilot_.look(world).write;
        commit(world);
    }
}

// The world goes its way: nobody disturbs, pods become ready, the hook allows.
World Exploration::benign_round(World world) {
    world.fresh = false;
    if (world.memory.corrected == 1) world.memory.corrected = 2;
    world.patient = true;
    if (world.sent) commit(world);
    static_cast<void>(act(world, course_.rules, false));
    for (int index = 0; index < pods_max; ++index)
        if (world.pods[at(index)].exists()) world.pods[at(index)].ready = true;
    tell(world);
    if (const std::uint16_t probe = pilot_.look(world).probe) {
        world.evidence = probe;
        world.allowed = world.fresh = true;
    }
    world.sent = pilot_.look(world).write;
    if (world.sent) commit(world);
    return world;
}

bool Exploration::is_at_its_end(const World& world) {
    const Look& look = pilot_.look(world);
    if (look.write || look.probe) return false;
    if (!world.label) return !world.memory.exists && pilot_.is_forgotten(world);
    if (look.reason == Reason::Paused) return world.paused;
    if (look.reason == Reason::PartitionRaised) return world.raised;
    if (look.reason == Reason::ScaledToZero) return world.replicas == 0;
    return look.reason == Reason::Idle && all_on(world, world.wanted) && !world.memory.open &&
           world.current == world.wanted &&
           partition_of(world.partition) == resting_partition(PodCount{world.replicas});
}

// L1: from here, if nobody disturbs any more, the rollout ends as it should.
void Exploration::check_end(const World& first) {
    constexpr int rounds_max = 60;
    std::vector<World> passed;
    World world = first;
    for (int round = 0; round < rounds_max; ++round) {
        if (ends_well_.contains(world)) break;
        passed.push_back(world);
        const World next = benign_round(world);
        if (next == world && is_at_its_end(world)) break;
        if (next == world || round + 1 == rounds_max)
            return complain(first, fmt::format("the rollout does not end: {} {}",
                                               engine::to_text(pilot_.look(world).phase),
                                               engine::entry(pilot_.look(world).reason).name));
        world = next;
    }
    ends_well_.insert(passed.begin(), passed.end());
}

void Exploration::complain(const World& world, const Complaint& complaint) {
    if (complaint.empty()) return;
    std::string story;
    for (World now = world; origins_.contains(now); now = origins_.at(now).before) {
        story = fmt::format("{}\n    {}\n", origins_.at(now).what, told(now)) + story;
        if (origins_.at(now).what == Origin{}.what) break;
    }
    ADD_FAILURE() << complaint << " after:\n" << story;
}

World fresh_set(int replicas) {
    World world;
    world.replicas = static_cast<std::uint8_t>(replicas);
    for (int index = 0; index < replicas; ++index)
        world.pods[at(index)] = {0, true};
    return world;
}

class EverySmallRollout : public ::testing::TestWithParam<Course> {};

TEST_P(EverySmallRollout, KeepsItsPromisesAndComesToItsEnd) {
    Exploration exploration{GetParam()};
    exploration.run(fresh_set(GetParam().replicas));
    RecordProperty("states", static_cast<int>(exploration.states()));
    RecordProperty("looks", static_cast<int>(exploration.looks()));
    for (const char* what : {"the pilot lets a pod go", "the user changes the template",
                             "the hook refuses", "the write is applied", "a write is lost",
                             "the operator crashes", "a minute passes", "the label is removed"})
        EXPECT_GT(exploration.count(what), 0) << "never happened: " << what;
}

constexpr Rules prevent_ordered{.policies = true, .ordered = true};
constexpr Rules prevent_parallel{.policies = true, .ordered = false};
constexpr Rules detect_ordered{.policies = false, .ordered = true};
constexpr Rules detect_parallel{.policies = false, .ordered = false};

// Sanitizers make each step several times slower; what they look for shows in the shorter courses.
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr int many = 2;
#else
constexpr int many = 3;
#endif

std::string name_of_course(const ::testing::TestParamInfo<Course>& info) {
    return fmt::format("{}{}From{}Pods", info.param.rules.policies ? "Prevent" : "Detect",
                       info.param.rules.ordered ? "Ordered" : "Parallel", info.param.replicas);
}

INSTANTIATE_TEST_SUITE_P(Worlds, EverySmallRollout,
                         ::testing::Values(Course{prevent_ordered, many, 3},
                                           Course{prevent_parallel, many, 3},
                                           Course{detect_ordered, many, 2},
                                           Course{detect_parallel, 2, 3}),
                         name_of_course);

}  // namespace
}  // namespace sluice::exhaustive
