// A namespace whose objects take more memory than it may has those held that there is no room for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/controller/desk.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using engine::Reason;
using engine::Snapshot;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Settings narrow() {
    Settings settings;
    settings.namespace_bytes_max = 10 * 1024;
    return settings;
}

model::CustomObject heavy(const std::string& name, std::size_t bytes) {
    model::CustomObject one = object(name);
    one.status = std::string(bytes, 'x');
    return one;
}

engine::Decision ask_its_name(const Snapshot& seen, Instant) {
    engine::Decision decision;
    decision.probe =
        engine::Probe{seen.objects.at(0).meta.key.name, std::make_shared<const engine::Question>()};
    return decision;
}

TEST(Budgets, WhatThereIsNoRoomForIsHeldWithAReason) {
    Desk desk{narrow()};
    run_decides = ask_its_name;
    desk.put(runs, heavy("first", 6 * 1024));
    desk.put(runs, heavy("second", 6 * 1024));
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
    const auto told = desk.done<PostEvent>();
    ASSERT_THAT(told, SizeIs(1));
    EXPECT_EQ(told[0].reason, Reason::TooManyBytes);
    EXPECT_EQ(told[0].about.ref.name, "second");
    EXPECT_THAT(told[0].note, HasSubstr("kubectl -n shop get runs"));
    EXPECT_THAT(told[0].note, HasSubstr("take more than 10 KiB"));
    EXPECT_THAT(told[0].note, HasSubstr("no room for this one, of 6 KiB"));
    EXPECT_EQ(desk.controller.counters().decisions.at({"run", Reason::TooManyBytes}), 1u);
    desk.pass(5min);
    EXPECT_THAT(desk.done<PostEvent>(), IsEmpty()) << "once is enough";
    EXPECT_THAT(desk.done<ReadWorkload>(), IsEmpty()) << "nothing has changed";
}

TEST(Budgets, WhatWasHeldIsReadWhenThereIsRoom) {
    Desk desk{narrow()};
    run_decides = ask_its_name;
    const auto first = heavy("first", 6'000);
    auto second = heavy("second", 6'000);
    desk.put(runs, first);
    desk.put(runs, second);
    desk.done<Ask>();
    desk.remove(runs, first);
    desk.pass(61s);
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1));
    second.meta.resource_version = 12;
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, second}}}});
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
}

TEST(Budgets, WhatIsToGoIsLookedAtAllTheSame) {
    Desk desk{narrow()};
    run_decides = ask_its_name;
    desk.put(runs, heavy("first", 6'000));
    auto second = heavy("second", 6'000);
    second.meta.deleting = true;
    desk.put(runs, second);
    desk.done<Ask>();
    const auto reads = desk.done<ReadWorkload>();
    ASSERT_THAT(reads, SizeIs(1)) << "who holds its finalizer may be us";
    second.meta.resource_version = 12;
    desk.take(WorkloadRead{reads[0].ticket, LiveWorkload{{}, {}, {{&runs, second}}}});
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
    desk.pass(5min);
    EXPECT_THAT(desk.done<ReadWorkload>(), IsEmpty()) << "and not over and over";
}

// What it rests on is read without it; it itself is in no table then.
TEST(Budgets, WhatIsToGoIsReadAgainAfterWhatItRestsOn) {
    Desk desk{narrow()};
    run_decides = [](const Snapshot& seen, Instant now) {
        if (!seen.objects.at(0).meta.deleting) return engine::Decision{};
        if (!seen.fetched.empty() && !seen.objects.at(0).status.empty())
            return ask_its_name(seen, now);
        engine::Decision decision;
        decision.rests_on = {{&recipes, "", "salt"}};
        decision.rereads_subject = false;
        return decision;
    };
    desk.put(runs, heavy("first", 6'000));
    auto second = heavy("second", 6'000);
    second.meta.deleting = true;
    desk.put(runs, second);
    second.meta.resource_version = 12;
    const auto answer = [&] {
        for (const ReadWorkload& read : desk.done<ReadWorkload>()) {
            const bool is_alone = std::ranges::none_of(
                read.objects, [](const model::Ref& ref) { return ref.resource == &runs; });
            LiveWorkload live;
            if (!is_alone) live.objects.push_back({&runs, second});
            desk.take(WorkloadRead{read.ticket, live});
        }
    };
    for (int i = 0; i < 5; ++i)
        answer();
    EXPECT_THAT(desk.done<Ask>(), SizeIs(1));
    EXPECT_THAT(desk.done<ReadWorkload>(), IsEmpty());
}

}  // namespace
}  // namespace sluice::controller
