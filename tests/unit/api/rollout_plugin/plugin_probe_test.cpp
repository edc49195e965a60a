#include "api/rollout_plugin/plugin.hpp"

#include <gtest/gtest.h>

namespace sluice::api::rollout_plugin {
namespace {

using enum PluginMethod;

Inquiry inquiry_of(const PluginQuestion& look) {
    return inquire(*engine::question_of(look), {"shop", {}}).value();
}
PluginMethod method(const Move& move) {
    const auto* call = std::get_if<PluginCall>(&move);
    EXPECT_NE(call, nullptr);
    return call ? call->method : Restart;
}
PluginObservation observation(const Move& move) {
    const auto* said = std::get_if<Said>(&move);
    EXPECT_NE(said, nullptr);
    return said ? *engine::opened<PluginObservation>(**said) : PluginObservation{};
}
PluginAnswer at_revision(const std::string& revision) {
    PluginAnswer answer;
    answer.status.updated_revision = revision;
    return answer;
}

TEST(PluginInquiry, GoesOnFromCallToCallUntilTheLookIsOver) {
    const Inquiry look = inquiry_of(
        {.call = {}, .inits = true, .revision = "b", .act = SetWeight, .verifies = true});
    Learnt learnt;
    EXPECT_EQ(method(look.next(learnt)), Init);
    learnt.calls.push_back(PluginAnswer{});
    EXPECT_EQ(method(look.next(learnt)), GetResourceStatus);
    learnt.calls.push_back(at_revision("b"));
    EXPECT_EQ(method(look.next(learnt)), SetWeight);
    learnt.calls.push_back(PluginAnswer{});
    EXPECT_EQ(method(look.next(learnt)), VerifyWeight);
    learnt.calls.push_back(PluginAnswer{.verified = true});
    const PluginObservation seen = observation(look.next(learnt));
    EXPECT_TRUE(seen.verified);
    EXPECT_EQ(seen.status.updated_revision, "b");
}

TEST(PluginInquiry, EndsWithTheFirstCallThatFails) {
    const Inquiry look = inquiry_of({.call = {}, .revision = "b", .act = SetWeight});
    Learnt learnt;
    learnt.calls.push_back(failure(ErrorKind::Unreachable, "cannot reach it"));
    EXPECT_EQ(observation(look.next(learnt)).error, "cannot reach it");
    const Said given_up = look.give_up({ErrorKind::Timeout, "too late"});
    EXPECT_EQ(engine::opened<PluginObservation>(*given_up)->error, "too late");
    EXPECT_FALSE(inquire(engine::Question{}, {}).has_value()) << "of another type";
}

}  // namespace
}  // namespace sluice::api::rollout_plugin
