#include "api/stateful_cluster/in_place.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace sluice::api::stateful_cluster {
namespace {

namespace json = boost::json;

std::string pod_template(const std::string& db, const std::string& sidecar = "log:1",
                         const std::string& more = "") {
    return R"({"spec":{"containers":[{"name":"db","image":")" + db +
           R"("},{"name":"log","image":")" + sidecar + R"("}])" + more + "}}";
}

TEST(ImageChanges, AreThoseOfContainersAndNothingElse) {
    const auto one = image_changes(pod_template("db:1"), pod_template("db:2"));
    ASSERT_TRUE(one.has_value());
    ASSERT_EQ(one->size(), 1u);
    EXPECT_EQ((*one)[0].container, "db");
    EXPECT_EQ((*one)[0].image, "db:2");
    EXPECT_EQ(image_changes(pod_template("db:1"), pod_template("db:2", "log:2"))->size(), 2u);
    EXPECT_FALSE(image_changes(pod_template("db:1"), pod_template("db:1"))) << "nothing to do";
    EXPECT_FALSE(image_changes(pod_template("db:1"),
                               pod_template("db:2", "log:1", R"(,"hostNetwork":true)")));
    EXPECT_FALSE(image_changes(
        pod_template("db:1", "log:1", R"(,"initContainers":[{"name":"i","image":"i:1"}])"),
        pod_template("db:1", "log:1", R"(,"initContainers":[{"name":"i","image":"i:2"}])")))
        << "no kubelet runs these again";
    EXPECT_FALSE(image_changes(pod_template("db:1"), R"({"spec":{"containers":[]}})"));
    EXPECT_FALSE(image_changes("", pod_template("db:2")));
}

model::Pod running() {
    model::Pod pod;
    pod.meta = {{"shop", "db-a"}, "uid-a", 5, 1, false};
    pod.revision = "db-1";
    pod.restarts = 4;
    return pod;
}

// With what its kubelet says of the container.
model::CustomObject whole(const std::string& report) {
    model::CustomObject pod;
    pod.spec = R"({"containers":[{"name":"injected","image":"x"},{"name":"db","image":"db:1"}]})";
    pod.status = R"({"phase":"Pending","containerStatuses":[)" + report + "]}";
    return pod;
}
const std::string started_often =
    R"({"name":"db","restartCount":4,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}})";

TEST(UpdateInPlace, NamesThePodItsContainersAndTheRestartsThatFollow) {
    const model::CustomObject pod = whole(started_often);
    const auto action = in_place_update(running(), pod, {{"db", "db:2"}}, "db-2");
    ASSERT_TRUE(action.has_value());
    EXPECT_TRUE(cannot_be_undone(*action));
    const json::value wanted = json::parse(R"([
        {"op":"test","path":"/metadata/uid","value":"uid-a"},
        {"op":"test","path":"/metadata/labels/controller-revision-hash","value":"db-1"},
        {"op":"test","path":"/spec/containers/1/name","value":"db"},
        {"op":"replace","path":"/spec/containers/1/image","value":"db:2"},
        {"op":"replace","path":"/metadata/labels/controller-revision-hash","value":"db-2"},
        {"op":"add","path":"/metadata/annotations/sluice.dev~1restarts","value":"5"}])");
    EXPECT_EQ(json::parse(action->body), wanted);
    EXPECT_FALSE(in_place_update(running(), pod, {{"gone", "db:2"}}, "db-2"));
    EXPECT_FALSE(in_place_update(running(), {}, {{"db", "db:2"}}, "db-2"));
}

TEST(UpdateInPlace, AwaitsNoRestartOfAContainerThatHasYetToStart) {
    const auto body = [](const std::string& report) {
        return in_place_update(running(), whole(report), {{"db", "db:2"}}, "db-2")->body;
    };
    const std::string none = R"(sluice.dev~1restarts","value":"0")";
    const std::string waiting = body(
        R"({"name":"db","restartCount":0,"state":{"waiting":{"reason":"ErrImagePull"}},"lastState":{}})");
    EXPECT_NE(waiting.find(none), std::string::npos);
    EXPECT_NE(waiting.find(R"("path":"/status/containerStatuses/0/state")"), std::string::npos)
        << "if it has started meanwhile, it is looked at again";
    const std::string unknown = body("");
    EXPECT_NE(unknown.find(none), std::string::npos);
    EXPECT_NE(unknown.find(R"("path":"/status/phase","value":"Pending")"), std::string::npos);
    const std::string crashed =
        body(R"({"name":"db","restartCount":0,"state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
             R"("lastState":{"terminated":{"exitCode":1}}})");
    EXPECT_EQ(crashed.find(none), std::string::npos) << "that one starts again";
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
