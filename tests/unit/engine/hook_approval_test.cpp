#include <gtest/gtest.h>

#include "engine/gates.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;

// Between web-2, which was updated last, and web-1.
const HookApproval between{.hook = "careful", .prev = PodIndex{2}, .next = PodIndex{1}};

Hold held(const Verdict& verdict) {
    const Hold* hold = std::get_if<Hold>(&verdict);
    EXPECT_TRUE(hold) << "the gate passed or failed";
    return hold ? *hold : Hold{Reason::Idle, ""};
}

HookQuestion asked(const Hold& hold) {
    const auto* question = hold.probe ? opened<HookQuestion>(*hold.probe->question) : nullptr;
    return question ? *question : HookQuestion{};
}

HookQuestion asked(const HookApproval& gate, const Snapshot& look) {
    return asked(held(judge(gate, look, noon)));
}

std::string key_of(const HookApproval& gate, const Snapshot& look) {
    return asked(gate, look).idempotency_key;
}

Probe probe_of(const HookApproval& gate, const Snapshot& look) {
    return held(judge(gate, look, noon)).probe.value();
}

Snapshot answered(bool allowed, Instant at, const std::string& message = "") {
    Snapshot look = rolling(3, 2);
    look.evidence = {{probe_of(between, look).key, answer_of(HookAnswer{allowed, message}), at}};
    return look;
}

TEST(HookApprovalGate, AsksAboutThePodUpdatedLastAndTheNextOne) {
    const Snapshot look = rolling(3, 2);
    const Hold hold = held(judge(between, look, noon));
    EXPECT_EQ(hold.reason, Reason::AskingHook);
    EXPECT_EQ(hold.message, "Asking hook careful between web-2 and web-1.");
    ASSERT_TRUE(hold.probe.has_value());
    EXPECT_EQ(asked(hold).hook, "careful");
    EXPECT_EQ(asked(hold).prev, (PodRef{"web-2", "pod-2-B"}));
    EXPECT_EQ(asked(hold).next, (PodRef{"web-1", "pod-1-A"}));
}

TEST(HookApprovalGate, ThereIsNoPreviousPodAtTheStartAndNoNextOneAtTheEnd) {
    const HookApproval first{.hook = "careful", .prev = {}, .next = PodIndex{2}};
    const HookApproval last{.hook = "careful", .prev = PodIndex{0}, .next = {}};
    EXPECT_EQ(held(judge(first, pending(3), noon)).message, "Asking hook careful before web-2.");
    EXPECT_EQ(held(judge(last, rolling(3, 0), noon)).message, "Asking hook careful after web-0.");
}

TEST(HookApprovalGate, TheKeyNamesTheSetTheRevisionAndBothPodsByUid) {
    const Snapshot look = rolling(3, 2);
    const std::string key = key_of(between, look);
    EXPECT_EQ(key_of(between, look), key) << "the same transition has the same key";
    const auto changed = [&](auto change) {
        Snapshot other = look;
        change(other);
        return key_of(between, other);
    };
    EXPECT_NE(changed([](Snapshot& s) { s.workload.meta.uid = "namesake"; }), key);
    EXPECT_NE(changed([](Snapshot& s) { s.workload.update_revision = "web-C"; }), key);
    EXPECT_NE(changed([](Snapshot& s) { s.pods[2].meta.uid = "evicted and back"; }), key);
    EXPECT_NE(changed([](Snapshot& s) { s.pods[1].meta.uid = "evicted and back"; }), key);
    EXPECT_EQ(changed([](Snapshot& s) { s.pods[0].meta.uid = "nobody asked about"; }), key);
    EXPECT_NE(key_of({.hook = "careful", .prev = {}, .next = PodIndex{1}}, look), key);
}

TEST(HookApprovalGate, PassesOnFreshConsentToThisVeryTransition) {
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(between, answered(true, noon), noon)));
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(between, answered(true, noon), noon + 60s)));
}

TEST(HookApprovalGate, ConsentThatIsTooOldIsAskedForAgain) {
    const Hold hold = held(judge(between, answered(true, noon), noon + 60'001ms));
    EXPECT_EQ(hold.reason, Reason::AskingHook);
    EXPECT_TRUE(hold.probe.has_value());
}

TEST(HookApprovalGate, ConsentToAnotherTransitionProvesNothing) {
    Snapshot look = answered(true, noon);
    look.pods[1].meta.uid = "evicted and back";
    const Hold hold = held(judge(between, look, noon));
    EXPECT_EQ(hold.reason, Reason::AskingHook);
    EXPECT_TRUE(hold.probe.has_value());
}

TEST(HookApprovalGate, ConsentOfAnotherHookOrToAnotherSpecProvesNothing) {
    Snapshot look = answered(true, noon);
    look.hook_binding = "another hook";
    EXPECT_EQ(held(judge(between, look, noon)).reason, Reason::AskingHook);
    look = answered(true, noon);
    ++look.workload.meta.generation;
    EXPECT_EQ(held(judge(between, look, noon)).reason, Reason::AskingHook)
        << "revisions come back under their old names, generations do not";
}

TEST(HookApprovalGate, ARefusalHoldsUntilItIsTimeToAskAgain) {
    const Hold hold = held(judge(between, answered(false, noon, "backup running"), noon + 29s));
    EXPECT_EQ(hold.reason, Reason::HookRefused);
    EXPECT_EQ(hold.message, "Hook careful refused between web-2 and web-1: backup running");
    EXPECT_EQ(hold.until, noon + 30s);
    EXPECT_FALSE(hold.probe.has_value());
    EXPECT_FALSE(hold.silent);
}

TEST(HookApprovalGate, AfterTheRetryTimeTheHookIsAskedAgainWhileTheRefusalStands) {
    const Hold hold = held(judge(between, answered(false, noon, "backup running"), noon + 30s));
    EXPECT_EQ(hold.reason, Reason::HookRefused);
    EXPECT_TRUE(hold.probe.has_value());
}

TEST(HookApprovalGate, TheRetryTimeIsTheGates) {
    HookApproval gate = between;
    gate.retry = 5min;
    const Snapshot look = answered(false, noon);
    EXPECT_EQ(held(judge(gate, look, noon + 1min)).until, noon + 5min);
    EXPECT_EQ(held(judge(gate, look, noon)).message,
              "Hook careful refused between web-2 and web-1: it gave no reason");
}

TEST(HookApprovalGate, AskingIsSilentForTenSecondsAndReportedThen) {
    Snapshot look = rolling(3, 2);
    Hold hold = held(judge(between, look, noon));
    EXPECT_TRUE(hold.silent) << "the question is sent now";
    EXPECT_EQ(hold.until, noon + 10s);
    look.waiting_for = Reason::AskingHook;
    look.waiting_since = noon - 9s;
    hold = held(judge(between, look, noon));
    EXPECT_TRUE(hold.silent);
    EXPECT_EQ(hold.until, noon + 1s);
    look.waiting_since = noon - 10s;
    hold = held(judge(between, look, noon));
    EXPECT_FALSE(hold.silent);
    EXPECT_EQ(hold.until, std::nullopt);
}

TEST(HookApprovalGate, ALongWaitForSomethingElseDoesNotCount) {
    Snapshot look = rolling(3, 2);
    look.waiting_for = Reason::PodsNotReady;
    look.waiting_since = noon - 1h;
    EXPECT_TRUE(held(judge(between, look, noon)).silent);
}

TEST(HookApprovalGate, AHookThatCannotBeAskedHoldsWithItsProblem) {
    Snapshot look = answered(true, noon);
    look.hook_problem = Error{ErrorKind::NotFound, "there is no hook careful"};
    Hold hold = held(judge(between, look, noon));
    EXPECT_EQ(hold.reason, Reason::UnknownHook);
    EXPECT_EQ(hold.message, "there is no hook careful");
    EXPECT_FALSE(hold.probe.has_value());
    look.hook_problem = Error{ErrorKind::Malformed, "the url is missing"};
    EXPECT_EQ(held(judge(between, look, noon)).reason, Reason::BrokenHook);
}

TEST(RevisionSettledGate, PassesWhenKubernetesHasMadeTheRevisionCurrent) {
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(RevisionSettled{}, seen(3, "B"), noon)));
}

TEST(RevisionSettledGate, HoldsWhileKubernetesHasNotAndReportsItAfterTenSeconds) {
    Snapshot look = rolling(3, 0);
    look.waiting_for = Reason::SettlingRevision;
    look.waiting_since = noon - 5s;
    Hold hold = held(judge(RevisionSettled{}, look, noon));
    EXPECT_EQ(hold.reason, Reason::SettlingRevision);
    EXPECT_TRUE(hold.silent);
    EXPECT_EQ(hold.until, noon + 5s);
    hold = held(judge(RevisionSettled{}, look, noon + 5s));
    EXPECT_FALSE(hold.silent);
}

TEST(HookApproval, WhoIsNotThereIsNotAskedAbout) {
    Snapshot look = pending(3);
    std::erase_if(look.pods, [](const model::Pod& pod) { return pod.meta.key.name == "web-2"; });
    const HookApproval first{.hook = "careful", .prev = {}, .next = PodIndex{2}};
    EXPECT_TRUE(std::holds_alternative<Pass>(judge(first, look, noon)));
    const HookApproval second{.hook = "careful", .prev = PodIndex{2}, .next = PodIndex{1}};
    EXPECT_EQ(std::get<Hold>(judge(second, look, noon)).reason, Reason::PodsNotReady);
}

}  // namespace
}  // namespace sluice::engine
