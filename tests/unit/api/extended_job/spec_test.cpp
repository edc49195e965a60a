#include "api/extended_job/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/verbs.hpp"
#include "tests/unit/api/extended_job/errand.hpp"

namespace sluice::api::extended_job {
namespace {

using namespace testing;
using ::testing::HasSubstr;

std::string wrong(const std::string& spec) {
    model::CustomObject object;
    object.spec = spec;
    const auto read = read_spec(object);
    return read ? "" : to_text(read.error());
}

std::string wrong_trigger(const std::string& trigger) {
    return wrong(spec_with(trigger));
}

TEST(ExtendedJobSpec, WhenAndSelectorStandAtTheTriggerOrUnderPodstate) {
    for (
        const char* trigger :
        {R"({"strategy":"podstate","podstate":{"when":"deleted","selector":{"matchLabels":{"a":"b"}}}})",
         R"({"strategy":"podstate","when":"deleted","selector":{"matchLabels":{"a":"b"}}})"}) {
        model::CustomObject object;
        object.spec = spec_with(trigger);
        const auto spec = read_spec(object);
        ASSERT_TRUE(spec) << trigger;
        EXPECT_EQ(spec->when, PodState::Deleted);
        EXPECT_EQ(spec->selector, R"({"matchLabels":{"a":"b"}})");
    }
}

TEST(ExtendedJobSpec, EveryFaultHasItsPath) {
    EXPECT_THAT(wrong("{}"), HasSubstr("spec.trigger: is required"));
    EXPECT_THAT(wrong("{}"), HasSubstr("spec.template: is required"));
    EXPECT_THAT(wrong_trigger("{}"), HasSubstr("spec.trigger.strategy: is required"));
    EXPECT_THAT(wrong_trigger(strategy("soon")),
                HasSubstr("spec.trigger.strategy: must be one of"));
    EXPECT_THAT(wrong_trigger(strategy("podstate")), HasSubstr("spec.trigger.when: is required"));
    EXPECT_THAT(wrong_trigger(R"({"strategy":"podstate","when":"ready","podstate":{}})"),
                HasSubstr("spec.trigger.podstate: says what when and selector beside it say"));
    EXPECT_THAT(
        wrong_trigger(
            R"({"strategy":"podstate","when":"ready","selector":{"matchExpressions":[{"key":"a","operator":"In"}]}})"),
        HasSubstr("spec.trigger.selector.matchExpressions[0].values: is required"));
    EXPECT_THAT(
        wrong(
            R"({"trigger":{"strategy":"now"},"template":{"spec":{"containers":[{"name":"a"}]}}})"),
        HasSubstr("spec.template.spec.restartPolicy: must be Never or OnFailure"));
    EXPECT_THAT(
        wrong(R"({"trigger":{"strategy":"now"},"template":{"spec":{"restartPolicy":"Never"}}})"),
        HasSubstr("spec.template.spec.containers: must have at least one entry"));
    EXPECT_THAT(wrong(spec_with(strategy("now"), R"(,"output":{"outputType":"json"})")),
                HasSubstr("spec.output.namePrefix: is required"));
    EXPECT_THAT(wrong(spec_with(strategy("now"), R"(,"output":{"namePrefix":"Keys-"})")),
                HasSubstr("spec.output.namePrefix: must begin the name of a Secret"));
    EXPECT_THAT(
        wrong(spec_with(strategy("now"), R"(,"output":{"namePrefix":"k-","outputType":"yaml"})")),
        HasSubstr("spec.output.outputType: must be one of json"));
}

model::CustomObject pod_with(const std::string& status, bool deleting = false) {
    model::CustomObject pod;
    pod.labels = {{"app", "web"}};
    pod.status = status;
    pod.meta.deleting = deleting;
    return pod;
}

TEST(ExtendedJobPods, APodIsInTheStatesThatItIsIn) {
    struct Row {
        model::CustomObject pod;
        std::vector<PodState> in;
    };
    const Row rows[] = {
        {pod_with(ready), {PodState::Ready, PodState::Created}},
        {pod_with(R"({"phase":"Pending"})"), {PodState::NotReady, PodState::Created}},
        {pod_with(R"({"phase":"Running"})"), {PodState::NotReady, PodState::Created}},
        {pod_with(ready, true), {PodState::Deleted}},
        {pod_with(R"({"phase":"Succeeded"})"), {}},
        {pod_with(R"({"phase":"Failed"})", true), {}},
    };
    for (const Row& row : rows) {
        model::CustomObject trimmed = row.pod;
        trim_pod(trimmed);
        for (const PodState state :
             {PodState::Ready, PodState::NotReady, PodState::Created, PodState::Deleted}) {
            const bool is_listed = std::ranges::find(row.in, state) != row.in.end();
            EXPECT_EQ(is_in(state, row.pod), is_listed) << row.pod.status << to_text(state);
            EXPECT_EQ(is_in(state, trimmed), is_listed) << row.pod.status << to_text(state);
        }
    }
}

TEST(ExtendedJobPods, PodsOfJobsAreNone) {
    model::CustomObject pod = pod_with(ready);
    EXPECT_TRUE(concerns(PodState::Ready, {}, pod));
    pod.labels["job-name"] = "x";
    EXPECT_FALSE(concerns(PodState::Ready, {}, pod));
}

TEST(ExtendedJobVerbs, RetrySetsTheStrategyToNow) {
    Known known{strategy("manual")};
    Steered steered;
    steered.title = "extendedjob/tidy-up";
    steered.object = known.object;
    const Reply reply = api::reply(dialect, Verb::Retry, steered, noon);
    ASSERT_TRUE(reply);
    EXPECT_EQ(boost::json::serialize(reply->writes.at(0).fields),
              R"({"spec":{"trigger":{"strategy":"now"}}})");
    known.set_strategy("now");
    steered.object = known.object;
    EXPECT_THAT(api::reply(dialect, Verb::Retry, steered, noon).error().why,
                HasSubstr("about to run already"));
    for (const Verb verb :
         {Verb::Promote, Verb::PromoteFull, Verb::Pause, Verb::Resume, Verb::Abort, Verb::Undo})
        EXPECT_FALSE(api::reply(dialect, verb, steered, noon));
}

}  // namespace
}  // namespace sluice::api::extended_job
