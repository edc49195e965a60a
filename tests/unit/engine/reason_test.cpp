#include "engine/reason.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/decision.hpp"

namespace sluice::engine {
namespace {

TEST(ReasonTable, HasOneRowForEachReasonInTheOrderOfTheReasons) {
    std::size_t row = 0;
    for (const ReasonEntry& one : reasons()) {
        EXPECT_EQ(static_cast<std::size_t>(one.reason), row++);
        EXPECT_EQ(&entry(one.reason), &one);
    }
    EXPECT_EQ(row, static_cast<std::size_t>(Reason::Released) + 1);
}

TEST(ReasonTable, NamesAreUniqueAndMadeOfLettersOnly) {
    std::set<std::string_view> names;
    for (const ReasonEntry& one : reasons()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_FALSE(one.name.empty());
        EXPECT_TRUE(std::ranges::all_of(one.name, [](char c) {
            return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        })) << one.name;
    }
}

TEST(ReasonTable, EachMeaningIsASentence) {
    for (const ReasonEntry& one : reasons()) {
        EXPECT_TRUE(one.meaning.ends_with(".")) << one.name;
        EXPECT_TRUE(one.unblock.empty() || one.unblock.ends_with(".")) << one.name;
    }
}

TEST(ReasonTable, EachWarningSaysWhatUnblocksIt) {
    for (const ReasonEntry& one : reasons()) {
        if (one.tone == Tone::Warning) EXPECT_FALSE(one.unblock.empty()) << one.name;
    }
}

TEST(Phases, HaveTheNamesThatTheAdmissionPoliciesLookFor) {
    EXPECT_STREQ(to_text(Phase::Idle), "Idle");
    EXPECT_STREQ(to_text(Phase::Waiting), "Waiting");
    EXPECT_STREQ(to_text(Phase::Rolling), "Rolling");
    EXPECT_STREQ(to_text(Phase::Held), "Held");
    EXPECT_STREQ(to_text(Phase::Blocked), "Blocked");
}

}  // namespace
}  // namespace sluice::engine
