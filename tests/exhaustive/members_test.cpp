// The members of a small cluster, whatever their pods do: all that can happen is tried, in every
// order, until nothing new comes of it. Worlds that differ in names only are the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

using testing::Known;
using State = Member::State;

constexpr Duration request_age_max = 75s;  // no request comes later
constexpr std::size_t leavers_max = 2;     // more of them tell nothing new

struct World {
    Status status = {};
    std::vector<model::Pod> pods = {};
    Instant now = testing::noon;
    std::uint64_t version = 1;
    std::vector<std::string> story = {};
    std::set<std::string> made = {};  // names of pods

    model::Pod* pod(const std::string& name) {
        const auto found = std::ranges::find(
            pods, name,
            [](const model::Pod& one) -> const std::string& { return one.meta.key.name; });
        return found == pods.end() ? nullptr : &*found;
    }
};

std::string claims_of(const std::string& name, const std::string& taken_over) {
    return taken_over.empty() ? std::string{identity_in(name)} : taken_over;
}

class Exploration {
  public:
    // `made_max`: pods beside the first ones, after which nothing is tried any more.
    Exploration(int replicas, int max_unavailable, bool is_parallel, std::size_t made_max)
        : made_max_(static_cast<std::size_t>(replicas) + made_max) {
        known_.spec.replicas = PodCount{replicas};
        known_.spec.max_unavailable = PodCount{max_unavailable};
        known_.spec.order = is_parallel ? Order::Parallel : Order::OrderedReady;
    }

    std::size_t explore() {
        World first;
        for (int i = 0; i < known_.spec.replicas.value; ++i) {
            Known made;
            first.pods.push_back(made.add("db-" + std::string(16, static_cast<char>('a' + i))));
            first.status.members.push_back(made.status.members.front());
        }
        first.status.update_revision = "db-1";
        add(std::move(first), "begin");
        while (!open_.empty() && !::testing::Test::HasFailure()) {
            const World world = std::move(open_.front());
            open_.pop_front();
            go_on_from(world);
            comes_to_rest(world);
        }
        return seen_.size();
    }

  private:
    View view_of(const World& world) {
        known_.object.meta.resource_version = world.version;
        return {known_.object, known_.spec, world.pods, world.now};
    }

    // What the operator makes of it: one look, and all that follows from it.
    World after_look(World world, bool is_made) {
        const View view = view_of(world);
        Tended tended = tend(view, world.status, "db-1");
        Status next = std::move(tended.status);
        if (tended.held) next.reason = engine::entry(tended.held->reason).name;
        if (!tended.held) next.reason.clear();
        judge(world, next);
        count_members(view, next);
        for (Member* one : due(view, next)) {
            one->state = State::Creating;
            one->since = in_whole_seconds(world.now);
            one->after.clear();
            if (is_made) world.pods.push_back(new_pod(*one, world.now));
        }
        world.status = std::move(next);
        ++world.version;
        for (const Leaver& one : world.status.leaving)
            if (model::Pod* pod = world.pod(one.name)) pod->meta.deleting = true;
        return world;
    }

    static model::Pod new_pod(const Member& member, Instant now) {
        Known made;
        model::Pod pod = made.add(member.name);
        pod.ready = false;
        pod.never_ready = true;
        pod.created = now;
        pod.claims = member.claims_of;
        return pod;
    }

    // What nobody may do, from one look to the next.
    void judge(const World& before, const Status& next) {
        std::size_t ready = 0;
        for (const Member& one : before.status.members)
            if (view_of(before).is_ready(one)) ++ready;
        const std::size_t all = before.status.members.size();
        const bool is_outage = all - ready > std::max<std::size_t>(1, (all - 1) / 2);
        for (const Leaver& one : next.leaving) {
            const bool is_new = std::ranges::find(before.status.leaving, one.name, &Leaver::name) ==
                                before.status.leaving.end();
            if (!is_new || one.why != Leaver::Why::Failed) continue;
            EXPECT_FALSE(is_outage) << "somebody is given up in an outage: " << told(before);
            EXPECT_FALSE(view_of(before).is_ready({.name = one.name})) << told(before);
        }
        std::set<std::string> names;
        for (const Member& one : next.members)
            EXPECT_TRUE(names.insert(one.name).second) << told(before);
        for (const Leaver& one : next.leaving)
            EXPECT_TRUE(names.insert(one.name).second) << told(before);
        EXPECT_EQ(next.members.size(), static_cast<std::size_t>(known_.spec.replicas.value));
    }

    // No two pods have the same claims, and nobody is made twice.
    void inspect(World& world) {
        std::set<std::string> used, made;
        for (const model::Pod& pod : world.pods) {
            EXPECT_TRUE(used.insert(claims_of(pod.meta.key.name, pod.claims)).second)
                << "two pods have the same claims: " << told(world);
            EXPECT_TRUE(made.insert(pod.meta.key.name).second) << told(world);
        }
        for (const Member& one : world.status.members)
            EXPECT_TRUE(one.is_tried() || !world.pod(one.name))
                << "a name that is planned has a pod: " << told(world);
    }

    void go_on_from(const World& world) {
        add(after_look(world, true), "look");
        add(after_look(world, false), "look, and the requests are lost");
        for (const Duration passed : {known_.spec.failure_tolerance, request_age_max}) {
            World later = world;
            later.now = later.now + passed;
            add(std::move(later), "time");
        }
        for (std::size_t i = 0; i < world.pods.size(); ++i) {
            change(world, i, "ready", [](model::Pod& pod) {
                pod.ready = !pod.ended;
                pod.never_ready = pod.never_ready && pod.ended;
            });
            change(world, i, "unready", [](model::Pod& pod) { pod.ready = false; });
            change(world, i, "ended", [](model::Pod& pod) {
                pod.ready = false;
                pod.ended = true;
            });
            World gone = world;
            gone.pods.erase(gone.pods.begin() + static_cast<std::ptrdiff_t>(i));
            add(std::move(gone), "gone");
        }
        for (const Member& one : world.status.members) {
            World late = world;
            const bool may_come = one.state == State::Creating && !late.pod(one.name) &&
                                  world.now - one.since < 60s && !world.made.contains(one.name);
            if (!may_come) continue;
            late.pods.push_back(new_pod(one, world.now));
            add(std::move(late), "a request comes late");
        }
    }

    void change(const World& world, std::size_t index, const char* what,
                const std::function<void(model::Pod&)>& change_pod) {
        World next = world;
        if (next.pods[index].meta.deleting) return;
        change_pod(next.pods[index]);
        add(std::move(next), what);
    }

    // Once nothing bad happens any more, all are ready again.
    void comes_to_rest(World world) {
        for (int round = 0; round < 14; ++round) {
            std::erase_if(world.pods, [](const model::Pod& pod) { return pod.meta.deleting; });
            for (model::Pod& pod : world.pods) {
                if (pod.ended) continue;
                pod.ready = true;
                pod.never_ready = false;
            }
            world.now = world.now + request_age_max;
            world = after_look(std::move(world), true);
        }
        const View view = view_of(world);
        for (const Member& one : world.status.members)
            EXPECT_TRUE(view.is_ready(one)) << told(world);
        EXPECT_TRUE(world.status.leaving.empty()) << told(world);
    }

    // What counts of a world: names, times and places only as far as they make a difference.
    std::string key_of(World& world) {
        const auto pod_text = [&](const std::string& name) -> std::string {
            const model::Pod* pod = world.pod(name);
            if (!pod) return "-";
            return std::string{pod->ready   ? "r"
                               : pod->ended ? "e"
                                            : "u"} +
                   (pod->never_ready ? "n" : "") + (pod->meta.deleting ? "d" : "");
        };
        const auto age = [&](Instant since) {
            const Duration passed = world.now - since;
            return passed >= known_.spec.failure_tolerance ? "old"
                   : passed >= request_age_max             ? "some"
                   : passed >= 60s                         ? "few"
                                                           : "new";
        };
        std::multiset<std::string> parts{world.status.reason + age(world.status.tolerance_from)};
        for (const Member& one : world.status.members)
            parts.insert(fmt::format("{}{}{}{}{}{}", static_cast<int>(one.state), age(one.since),
                                     pod_text(one.name), one.claims_of.empty() ? "" : "taken",
                                     world.pod(one.after) ? "after" : "",
                                     one.added ? "added" : ""));
        for (const Leaver& one : world.status.leaving)
            parts.insert(fmt::format("leaves {}{}{}{}", static_cast<int>(one.why),
                                     pod_text(one.name), one.claims_of.empty() ? "" : "taken",
                                     one.hands_over));
        std::string key;
        for (const std::string& one : parts)
            key += one + ' ';
        return key;
    }

    void add(World world, const std::string& what) {
        world.story.push_back(what);
        for (const model::Pod& pod : world.pods)
            world.made.insert(pod.meta.key.name);
        if (world.status.leaving.size() > leavers_max || world.made.size() > made_max_) return;
        inspect(world);
        if (seen_.insert(key_of(world)).second) open_.push_back(std::move(world));
    }

    static std::string told(const World& world) {
        std::string text;
        for (const std::string& one : world.story)
            text += one + "; ";
        return text;
    }

    Known known_;
    std::size_t made_max_;
    std::deque<World> open_;
    std::set<std::string> seen_;
};

struct Row {
    int replicas;
    int max_unavailable;
    bool is_parallel;
    std::size_t made_max;
    std::size_t worlds_min;  // fewer: something is not tried any more
};

class EverySmallCluster : public ::testing::TestWithParam<Row> {};

TEST_P(EverySmallCluster, LosesNoIdentityAndComesToRest) {
    const Row& row = GetParam();
    Exploration all{row.replicas, row.max_unavailable, row.is_parallel, row.made_max};
    EXPECT_GT(all.explore(), row.worlds_min);
}

INSTANTIATE_TEST_SUITE_P(Rows, EverySmallCluster,
                         ::testing::Values(Row{1, 1, false, 4, 40}, Row{2, 1, false, 3, 500},
                                           Row{2, 2, true, 2, 500}, Row{3, 1, false, 0, 3000},
                                           Row{3, 2, true, 0, 3000}));

}  // namespace
}  // namespace sluice::api::stateful_cluster
