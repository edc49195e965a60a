#include <gtest/gtest.h>

#include "kubernetes.hpp"

namespace sluice::sim {
namespace {

// A Job "task" with pods of a behaviour.
void create_job(Kubernetes& world, const std::string& behaviour,
                const std::map<std::string, int>& wishes = {}) {
    json::object job = json::parse(R"({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "task", "namespace": "default"},
        "spec": {"template": {"metadata": {},
                              "spec": {"restartPolicy": "Never",
                                       "containers": [{"name": "main", "image": "v1"}]}}}})")
                           .as_object();
    for (const auto& [field, value] : wishes)
        sim::set(job, "/spec/" + field, value);
    if (!behaviour.empty())
        object_in(job, "/spec/template/metadata/annotations")[behaviour_annotation] = behaviour;
    const Response made = world.cluster.api().create(std::move(job), admin, world.now());
    ASSERT_TRUE(went(made)) << json::serialize(made.body);
}

std::string verdict(const Kubernetes& world) {
    const json::object job = world.get("jobs.batch", "task");
    for (const char* type : {"Complete", "Failed"})
        if (const json::object* found = condition(object_at(job, "/status"), type))
            return std::string{type} + " " + std::string{text(*found, "reason")};
    return "";
}

std::int64_t counted(const Kubernetes& world, const std::string& field) {
    return number_at(world.get("jobs.batch", "task"), "/status/" + field);
}

TEST(Job, ThatSucceedsIsComplete) {
    Kubernetes world;
    create_job(world, "");
    world.run(1s);
    EXPECT_EQ(counted(world, "active"), 1);
    EXPECT_TRUE(world.names("pods").starts_with("task-"));
    EXPECT_EQ(verdict(world), "");
    world.run(10s);
    EXPECT_EQ(verdict(world), "Complete CompletionsReached");
    EXPECT_EQ(counted(world, "succeeded"), 1);
    EXPECT_EQ(counted(world, "active"), 0);
    const json::object job = world.get("jobs.batch", "task");
    EXPECT_TRUE(has(job, "/status/startTime"));
    EXPECT_TRUE(has(job, "/status/completionTime"));
}

TEST(Job, RunsNoMorePodsAtOnceThanItMayAndAsManyAsItMust) {
    Kubernetes world;
    create_job(world, "", {{"completions", 5}, {"parallelism", 2}});
    world.run(1s);
    EXPECT_EQ(world.cluster.api().list("pods", "default").size(), 2u);
    world.run(1min);
    EXPECT_EQ(world.cluster.api().list("pods", "default").size(), 5u);
    EXPECT_EQ(verdict(world), "Complete CompletionsReached");
    EXPECT_EQ(counted(world, "succeeded"), 5);
}

TEST(Job, FailsWhenItsPodsFailTooOften) {
    Kubernetes world;
    create_job(world, "fail", {{"backoffLimit", 2}});
    world.run(10s);
    EXPECT_EQ(counted(world, "failed"), 1);
    EXPECT_EQ(verdict(world), "") << "it waits before it tries again";
    world.run(10min);
    EXPECT_EQ(verdict(world), "Failed BackoffLimitExceeded");
    EXPECT_EQ(counted(world, "failed"), 3);
    EXPECT_FALSE(has(world.get("jobs.batch", "task"), "/status/completionTime"));
}

TEST(Job, FailsAtItsDeadlineAndTakesItsPodsWithIt) {
    Kubernetes world;
    create_job(world, "unready", {{"activeDeadlineSeconds", 30}});
    world.run(29s);
    EXPECT_EQ(verdict(world), "");
    EXPECT_EQ(counted(world, "active"), 1);
    world.run(5s);
    EXPECT_EQ(verdict(world), "Failed DeadlineExceeded");
    EXPECT_EQ(world.names("pods"), "");
}

TEST(Job, GoesAwaySomeTimeAfterItsEnd) {
    Kubernetes world;
    create_job(world, "", {{"ttlSecondsAfterFinished", 60}});
    world.run(30s);
    EXPECT_TRUE(world.exists("jobs.batch", "task"));
    world.run(1min);
    EXPECT_FALSE(world.exists("jobs.batch", "task"));
    EXPECT_EQ(world.names("pods"), "") << "with its pods";
}

TEST(Job, APodThatIsTakenAwayIsReplaced) {
    Kubernetes world;
    create_job(world, "slow 1h");
    world.run(10s);
    const std::string before = world.names("pods");
    world.remove("pods", before);
    world.run(10s);
    EXPECT_NE(world.names("pods"), before);
    EXPECT_EQ(world.cluster.api().list("pods", "default").size(), 1u);
}

}  // namespace
}  // namespace sluice::sim
