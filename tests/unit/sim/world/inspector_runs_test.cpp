// What an operator may do about AnalysisRuns, and what not: here it is done with its own name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api/admission.hpp"
#include "sim/apis/rollout_plugin/objects.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* runs = "analysisruns.argoproj.io";

class InspectedRuns : public ::testing::Test {
  protected:
    json::object run(const std::string& status) const {
        const json::value body =
            json::parse(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"AnalysisRun",)"
                        R"("metadata":{"name":"smoke","namespace":"shop"},"spec":{"ttlStrategy":)"
                        R"({"secondsAfterSuccess":60},"metrics":[{"name":"rate","provider":)"
                        R"({"prometheus":{"query":"up"}}}]},"status":)" +
                        status + "}");
        return body.as_object();
    }
    void create(json::object object, const std::string& user) {
        const Response made = world.cluster.api().create(object, user, world.cluster.now());
        ASSERT_EQ(made.status, 201) << json::serialize(made.body);
    }
    // As the operator does it: by the UID.
    void remove_run() {
        const ObjectPtr found = world.cluster.api().find(runs, "shop", "smoke");
        const std::string uid = text_at(found->object(), "/metadata/uid");
        world.inspector.witness().writes(
            "operator-0", engine::deletion_of({{&model::pods, "shop", "smoke"}, uid}));
        world.cluster.api().remove(runs, "shop", "smoke", operator_user, world.cluster.now());
    }
    void end_run() {
        const ObjectPtr found = world.cluster.api().find(runs, "shop", "smoke");
        json::object ended = found->object();
        sim::set(ended, "/spec/terminate", true);
        Request request;
        request.method = "PUT";
        request.path = "/apis/argoproj.io/v1alpha1/namespaces/shop/analysisruns/smoke";
        request.body = json::serialize(ended);
        request.user = operator_user;
        ASSERT_EQ(world.cluster.api().serve(request, world.cluster.now()).status, 200);
    }
    // By the RolloutPlugin "gentle".
    json::object owned(json::object object) const {
        const ObjectPtr owner =
            world.cluster.api().find("rolloutplugins.argoproj.io", "shop", "gentle");
        const json::object reference{{"apiVersion", "argoproj.io/v1alpha1"},
                                     {"kind", "RolloutPlugin"},
                                     {"name", "gentle"},
                                     {"uid", text_at(owner->object(), "/metadata/uid")},
                                     {"controller", true}};
        sim::set(object, "/metadata/ownerReferences", json::array{reference});
        return object;
    }
    json::object job(const std::string& name, const std::string& kind) const {
        const ObjectPtr owner = world.cluster.api().find(runs, "shop", "smoke");
        const json::object reference{{"apiVersion", "argoproj.io/v1alpha1"},
                                     {"kind", kind},
                                     {"name", "smoke"},
                                     {"uid", text_at(owner->object(), "/metadata/uid")},
                                     {"controller", true}};
        const json::value spec = json::parse(
            R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}})");
        return {{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"metadata", json::object{{"name", name},
                                          {"namespace", "shop"},
                                          {"ownerReferences", json::array{reference}}}},
                {"spec", spec}};
    }
    const std::vector<std::string>& violations() const { return world.inspector.violations(); }

    World world{{}};
};

TEST_F(InspectedRuns, MayGoOnceTheirTimeIsOver) {
    create(run(R"({"phase":"Successful","completedAt":"2026-01-01T00:00:00Z"})"), admin);
    remove_run();
    EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(InspectedRuns, MayNotGoBefore) {
    for (const std::string& status :
         {std::string{R"({"phase":"Running"})"},
          std::string{R"({"phase":"Failed","completedAt":"2026-01-01T00:00:00Z"})"},
          R"({"phase":"Successful","completedAt":")" + to_rfc3339(world.cluster.now()) + "\"}"}) {
        create(run(status), admin);
        const std::size_t before = violations().size();
        remove_run();
        EXPECT_EQ(violations().size(), before + 1) << status;
    }
    EXPECT_THAT(violations(), Contains(StartsWith("S11 ")));
}

TEST_F(InspectedRuns, AreMadeByPeople) {
    create(run("{}"), operator_user);
    EXPECT_THAT(violations(), Contains(StartsWith("S10 ")));
}

TEST_F(InspectedRuns, OfPeopleAreNotEndedByAnOperator) {
    create(run("{}"), admin);
    end_run();
    EXPECT_THAT(violations(), Contains(StartsWith("S10 ")));
}

TEST_F(InspectedRuns, OfARolloutThatIsOverAreEndedAndStayAsLongAsTheHistoryKeepsThem) {
    rollout_plugin::create(world, {.fields = {{"steps", "20"}, {"keep-successful", "0"}}});
    for (const char* phase : {"Successful", "Failed"}) {
        create(owned(run(fmt::format(R"({{"phase":"{}"}})", phase))), admin);
        end_run();
        EXPECT_THAT(violations(), IsEmpty());
        remove_run();
    }
    EXPECT_THAT(violations(), ElementsAre(StartsWith("S30 ")));
}

TEST_F(InspectedRuns, HaveJobsThatAnOperatorMakesAndDeletes) {
    create(run("{}"), admin);
    create(job("smoke-1", "AnalysisRun"), operator_user);
    world.cluster.api().remove("jobs.batch", "shop", "smoke-1", operator_user, world.cluster.now());
    EXPECT_THAT(violations(), IsEmpty());
    create(job("smoke-2", "CronJob"), operator_user);
    EXPECT_THAT(violations(), Contains(StartsWith("S10 ")));
}

}  // namespace
}  // namespace sluice::sim
