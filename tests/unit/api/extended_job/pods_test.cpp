// Runs for pods: how many there are at once, and which pods are remembered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/api/extended_job/errand.hpp"

namespace sluice::api::extended_job {
namespace {

using namespace testing;
using engine::Decision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::Ref pod_ref(const std::string& name) {
    return {&neighbour_pods, "shop", name};
}

void add_ready_pods(Known& known, int count) {
    for (int i = 0; i < count; ++i)
        known.add_pod("web-" + std::to_string(i), ready);
}

void add_run(Status& status, const std::string& pod) {
    const std::int64_t number = ++status.runs;
    status.active.push_back({.number = number,
                             .job = "job-run-" + std::to_string(number),
                             .strategy = pod.empty() ? "now" : "podstate",
                             .stage = jobs::Stage::Made,
                             .pod = pod,
                             .started = noon});
}

// Jobs run for so many other pods, and have just been looked at.
struct Running : Known {
    explicit Running(std::size_t runs, Status status = leaving(0, noon)) : Known(for_ready_pods) {
        for (std::size_t i = 0; i < runs; ++i)
            add_run(status, "old-" + std::to_string(i));
        object.status = write_status(status);
        seen.evidence = {jobs::looked(noon)};
    }
};

// So many pods are remembered, and the watch knows none of them.
struct Remembering : Known {
    explicit Remembering(std::size_t pods) : Known(for_ready_pods) {
        Status status = leaving(0, noon);
        for (std::size_t i = 0; i < pods; ++i)
            status.handled.push_back({"uid-old-" + std::to_string(i), "old-" + std::to_string(i)});
        object.status = write_status(status);
    }
    // The pods that are looked at before anything is done are not there, all but one.
    void see_all_gone_but(engine::Fetched one) {
        const Decision looks = decided();
        for (const model::Ref& ref : looks.rests_on)
            if (ref != one.ref) seen.fetched.push_back({ref, std::nullopt});
        seen.fetched.push_back(std::move(one));
        see_pods();
    }
    bool remembers(const std::string& uid) const {
        const auto handled = status().handled;
        return std::ranges::find(handled, uid, &Handled::uid) != handled.end();
    }
};

model::CustomObject pod_of(const std::string& name, const std::string& uid) {
    model::CustomObject pod;
    pod.meta = {{"shop", name}, uid, 5, 1, false};
    return pod;
}

TEST(ExtendedJobPods, JobsThatRunTakePlacesOfThoseThatRunAtOnce) {
    Running known{3};
    add_ready_pods(known, 5);
    EXPECT_THAT(known.decided().rests_on, SizeIs(pod_jobs_max - 3));
    known.see_pods();
    known.apply(known.decided());
    EXPECT_THAT(known.status().active, SizeIs(pod_jobs_max));
}

TEST(ExtendedJobPods, AJobThatRunsForNoPodTakesNoneOfTheirPlaces) {
    Status status = leaving(0, noon);
    add_run(status, "");
    Running known{0, status};
    add_ready_pods(known, 6);
    EXPECT_THAT(known.decided().rests_on, SizeIs(pod_jobs_max));
}

TEST(ExtendedJobPods, WhereMoreRunThanMayNoneIsAdded) {
    Running known{pod_jobs_max + 1};
    add_ready_pods(known, 5);
    EXPECT_THAT(known.decided().rests_on, IsEmpty());
}

TEST(ExtendedJobPods, AJobThatRunsNeedsAPlaceAmongThoseToBeDeleted) {
    Running known{2, leaving(leaving_max - 3, noon + 20s)};
    add_ready_pods(known, 5);
    EXPECT_THAT(known.decided().rests_on, SizeIs(1));
    Running overfull{1, leaving(leaving_max, noon + 20s)};
    add_ready_pods(overfull, 5);
    EXPECT_THAT(overfull.decided().rests_on, IsEmpty());
}

TEST(ExtendedJobPods, JobsThatRunAreLookedAtBeforePodsThatWaitForTheirPlaces) {
    Running known{1};
    known.seen.evidence.clear();
    add_ready_pods(known, 1);
    const Decision looks = known.decided();
    EXPECT_EQ(looks.rests_on, std::vector({model::Ref{&model::jobs, "shop", "job-run-1"}}));
}

TEST(ExtendedJobPods, APodIsLookedAtWithoutTheExtendedJob) {
    Known known{for_ready_pods};
    add_ready_pods(known, 1);
    EXPECT_FALSE(known.decided().rereads_subject);
}

TEST(ExtendedJobPods, APodThatCouldNotBeLookedAtIsLookedAtAgain) {
    Known known{for_ready_pods};
    add_ready_pods(known, 1);
    known.seen.fetched = {{pod_ref("web-0"), std::nullopt, engine::Refusal{500, "etcd"}}};
    const Decision refused = known.settled();
    EXPECT_EQ(refused.wake_at, noon + 10s);
    EXPECT_EQ(known.status().runs, 0);
}

TEST(ExtendedJobPods, NobodyIsForgottenWithoutANewPodThatNeedsTheRoom) {
    const Remembering known{handled_max};
    EXPECT_THAT(known.decided().rests_on, IsEmpty());
}

TEST(ExtendedJobPods, NobodyIsForgottenWhileThereIsRoomForAllThatMayBegin) {
    Remembering roomy{handled_max - pod_jobs_max};
    add_ready_pods(roomy, 1);
    EXPECT_EQ(roomy.decided().rests_on, std::vector({pod_ref("web-0")}));
    Remembering narrow{handled_max - pod_jobs_max + 1};
    add_ready_pods(narrow, 1);
    EXPECT_THAT(narrow.decided().rests_on, Contains(pod_ref("old-0")));
}

TEST(ExtendedJobPods, APodThatANamesakeHasReplacedIsForgotten) {
    Remembering known{handled_max};
    add_ready_pods(known, 1);
    known.see_all_gone_but({pod_ref("old-0"), pod_of("old-0", "uid-namesake")});
    known.apply(known.decided());
    EXPECT_FALSE(known.remembers("uid-old-0"));
}

TEST(ExtendedJobPods, APodThatIsStillThereIsRemembered) {
    Remembering known{handled_max};
    add_ready_pods(known, 1);
    known.see_all_gone_but({pod_ref("old-0"), pod_of("old-0", "uid-old-0")});
    known.apply(known.decided());
    EXPECT_TRUE(known.remembers("uid-old-0"));
    EXPECT_FALSE(known.remembers("uid-old-1"));
}

TEST(ExtendedJobPods, APodThatCouldNotBeLookedAtIsRemembered) {
    Remembering known{handled_max};
    add_ready_pods(known, 1);
    known.see_all_gone_but({pod_ref("old-0"), std::nullopt, engine::Refusal{500, "etcd"}});
    known.apply(known.decided());
    EXPECT_TRUE(known.remembers("uid-old-0"));
    EXPECT_FALSE(known.remembers("uid-old-1"));
}

TEST(ExtendedJobPods, PodsThatWereFoundGoneAreNotLookedAtAgain) {
    Remembering known{handled_max};
    add_ready_pods(known, 1);
    known.see_all_gone_but({pod_ref("old-0"), std::nullopt});
    EXPECT_THAT(known.decided().rests_on, IsEmpty());
}

}  // namespace
}  // namespace sluice::api::extended_job
