#include "engine/report.hpp"

#include <gtest/gtest.h>

#include "model/annotations.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using namespace testing;
namespace key = model::key;

// The patch that reports this, on a set whose annotations say that already.
std::string patched(Snapshot look, const StatusReport& report,
                    std::optional<Partition> to = std::nullopt) {
    look.workload.has_annotations = true;
    model::WorkloadPatch patch{look.workload};
    if (to) patch.move_partition(*to);
    write_report(patch, report, look, noon);
    return patch.to_json_patch();
}

Snapshot reported() {
    Snapshot look = seen(3);
    look.workload.annotations = {{key::phase, "Rolling"}, {key::reason, "PodsNotReady"}};
    return look;
}

bool tells_since(const std::string& patch) {
    return patch.find("since") != std::string::npos;
}

std::string message_in(const std::string& patch) {
    const std::size_t at = patch.find("message\",\"value\":\"") + 18;
    return patch.substr(at, patch.find('"', at) - at);
}

TEST(Report, TellsSinceWhenItIsSo) {
    EXPECT_FALSE(tells_since(
        patched(reported(), {Phase::Rolling, Reason::PodsNotReady, "other words", {}})));
    EXPECT_TRUE(tells_since(patched(reported(), {Phase::Held, Reason::PodsNotReady, "", {}})));
    EXPECT_TRUE(tells_since(patched(reported(), {Phase::Rolling, Reason::Paused, "", {}})));
    EXPECT_TRUE(tells_since(
        patched(reported(), {Phase::Rolling, Reason::PodsNotReady, "", {}}, Partition{1})))
        << "a gate that moved begins another wait";
}

TEST(Report, CutsWhatStrangersSayAtFourHundredBytesAndNotWithinALetter) {
    const auto cut = [](const std::string& message) {
        return message_in(patched(reported(), {Phase::Held, Reason::HookRefused, message, {}}));
    };
    const std::string whole(400, 'x');
    EXPECT_EQ(cut(whole), whole);
    EXPECT_EQ(cut(whole + "y"), whole + "...");
    const std::string shorter(399, 'x');
    EXPECT_EQ(cut(shorter + "\xc3\xa9" + "end"), shorter + "...");
    EXPECT_EQ(cut(std::string(500, '\x80')), "...") << "no letter at all";
}

}  // namespace
}  // namespace sluice::engine
