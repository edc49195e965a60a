#include "api/verbs.hpp"

#include <gmock/gmock.h>

#include "tests/unit/api/steered.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::api {
namespace {

using namespace testing;
using ::testing::ElementsAre;

constexpr Instant now{1'800'000'000'000};

TEST(Dialects, are_found_by_what_people_call_them) {
    for (const auto& [word, api] : std::vector<std::pair<const char*, const char*>>{
             {"sts", "pilot"},
             {"StatefulSet", "pilot"},
             {"statefulsets.apps", "pilot"},
             {"rp", "rolloutplugin"},
             {"rolloutplugin.argoproj.io", "rolloutplugin"},
             {"rolloutplugins", "rolloutplugin"},
             {"phasedrollout", "phasedrollout"}}) {
        const Dialect* found = find_dialect(word);
        ASSERT_NE(found, nullptr) << word;
        EXPECT_EQ(found->api, api);
    }
    for (const char* word : {"", "pod", "rp.apps", "sts.", ".", "statefulset.apps.v1"})
        EXPECT_EQ(find_dialect(word), nullptr) << word;
    EXPECT_EQ(kinds_text(),
              "extendedjob, ejob, extendedstatefulset, ests, phasedrollout, sts, statefulset, "
              "rolloutplugin, rp, statefulcluster, stc");
}

TEST(Dialects, answer_no_verb_for_what_is_being_deleted) {
    for (const Dialect* dialect : dialects()) {
        json::object object = is_of_workload(*dialect) ? web_set() : custom("web", "{}", "{}");
        object["metadata"].as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
        const Steered one = steered(*dialect, object);
        for (std::size_t verb = 0; verb < verbs_count; ++verb)
            EXPECT_EQ(refusal(reply(*dialect, static_cast<Verb>(verb), one, now)),
                      one.title + " is being deleted.");
    }
}

TEST(Dialects, make_something_of_any_object) {
    for (const Dialect* dialect : dialects())
        for (const char* part : {"{}", R"({"phase": 7, "rollout": [], "check": "x"})",
                                 R"({"workloadRef": 3, "targetRef": {}, "paused": "yes"})"}) {
            const Steered one =
                steered(*dialect, is_of_workload(*dialect) ? web_set() : custom("x", part, part));
            dialect->is_steered(one);
            dialect->workload_of(one.object);
            dialect->facts(one, now);
            EXPECT_EQ(dialect->standing(one).phase, "");
            for (std::size_t verb = 0; verb < verbs_count; ++verb)
                if (const auto made = reply(*dialect, static_cast<Verb>(verb), one, now))
                    EXPECT_FALSE(made->writes.empty());
        }
}

TEST(Dialects, an_object_without_a_name_cannot_be_read) {
    for (const Dialect* dialect : dialects())
        EXPECT_FALSE(read_steered(*dialect, json::object{{"metadata", json::object{}}}));
}

TEST(Workloads, are_read_with_what_a_person_wants_to_see) {
    const auto read = read_workload(json::parse(model::testing::statefulset_text).as_object());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->selector, "app=web");
    EXPECT_EQ(read->updated, PodCount{1});
    EXPECT_THAT(read->images, ElementsAre("nginx:1.27"));
    EXPECT_EQ(to_rfc3339(read->created), "2026-01-31T12:00:00Z");
    EXPECT_EQ(gate_text(*read), "1 of 3 pods through, 2 behind it (partition 2)");
}

TEST(Workloads, say_how_their_gate_stands) {
    Workload one = read_workload(web_set()).value();
    one.set.partition = closed_partition;
    EXPECT_EQ(gate_text(one), "closed: all 3 pods are behind it (partition 1000000)");
    one.set.partition = Partition{0};
    EXPECT_EQ(gate_text(one), "open: all 3 pods are through (partition 0)");
    one.set.partition = Partition{3};
    one.set.current_revision = one.set.update_revision;
    EXPECT_EQ(gate_text(one), "closed: nothing is pending (partition 3)");
}

TEST(Workloads, that_nobody_steers_say_why) {
    EXPECT_EQ(why_not_steered(read_workload(web_set()).value()),
              "StatefulSet web is not steered: it has no label dd-statefulset-pilot, and no object "
              "that is steered names it.");
    const auto orphan = read_workload(web_set(R"({"sluice.dev/claim": "phasedrollout/x"})"));
    EXPECT_THAT(why_not_steered(*orphan), ::testing::HasSubstr("phasedrollout/x steers it"));
}

TEST(Pods, are_shown_as_kubectl_shows_them) {
    json::object pod = json::parse(R"json({
      "metadata": {"name": "web-2", "namespace": "shop", "uid": "u", "labels":
                     {"controller-revision-hash": "web-b"},
                   "creationTimestamp": "2026-01-01T00:00:00Z",
                   "ownerReferences": [{"kind": "StatefulSet", "controller": true, "uid": "s"}]},
      "spec": {"containers": [{"image": "app:b"}, {"image": "side:1"}]},
      "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
                 "containerStatuses": [{"restartCount": 2, "state": {"running": {}}},
                    {"restartCount": 1, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
    })json")
                           .as_object();
    const auto view = read_pod(pod);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->state, "CrashLoopBackOff");
    EXPECT_EQ(view->restarts, 3);
    EXPECT_EQ(view->ordinal, Ordinal{2});
    EXPECT_EQ(view->owner_uid, "s");
    EXPECT_THAT(view->images, ElementsAre("app:b", "side:1"));
    EXPECT_TRUE(view->ready);
    pod["metadata"].as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    EXPECT_EQ(read_pod(pod)->state, "Terminating");
    EXPECT_FALSE(read_pod(pod)->ready);
}

TEST(Events, of_both_generations_have_a_time_and_a_count) {
    const auto seen = [](const char* text) { return read_event(json::parse(text).as_object()); };
    const EventView older = seen(R"({"lastTimestamp": "2026-01-01T00:00:05Z", "count": 3,
        "type": "Warning", "reason": "A", "message": "b",
        "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z", "resourceVersion": "12"}})");
    EXPECT_EQ(to_rfc3339(older.at), "2026-01-01T00:00:05Z");
    EXPECT_EQ(older.count, 3);
    EXPECT_EQ(older.version, 12u);
    EXPECT_TRUE(older.warns);
    const EventView newer = seen(R"({"eventTime": "2026-01-01T00:00:07.000000Z", "type": "Normal",
        "lastTimestamp": null, "metadata": {"creationTimestamp": "2026-01-01T00:00:07Z"}})");
    EXPECT_EQ(to_rfc3339(newer.at), "2026-01-01T00:00:07Z");
    EXPECT_EQ(newer.count, 1);
    EXPECT_EQ(seen("{}").at, Instant{});
}

}  // namespace
}  // namespace sluice::api
