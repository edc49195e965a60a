#include "kube/cluster.hpp"

#include <gmock/gmock.h>

#include "tests/unit/kube/api_world.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::kube::test {
namespace {

using model::testing::pod_text;
using model::testing::rollout_text;
using model::testing::statefulset_text;
using model::testing::watch_line;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Verb = engine::Action::Verb;

constexpr model::Resource rollouts{"sts.plus", "v1alpha1", "phasedrollouts", "Kind"};
const std::string objects = "/apis/sts.plus/v1alpha1/namespaces/shop/phasedrollouts";
constexpr model::Resource recipes{"sts.plus", "v1alpha1", "recipes", "Recipe", true};
const std::string cluster_objects = "/apis/sts.plus/v1alpha1/recipes";
const model::ObjectKey web{"shop", "web"};
const model::Ref web_set = ref_to(model::statefulsets, web);

// Anybody may write an object that is larger than what we keep.
std::string huge_object() {
    return R"({"metadata":{"name":"huge","uid":"u"},"status":{"a":")" + std::string(70'000, 'x') +
           "\"}}";
}

// An API server that knows these answers, by method and path without the query; everything else is
// not found.
class ClusterTest : public ApiWorld {
  protected:
    void open() {
        serve([this](const std::shared_ptr<Session>& session, const Received& received) {
            const std::string line = received.head.substr(0, received.head.find(" HTTP"));
            requests.push_back(line + (received.body.empty() ? "" : " " + received.body));
            const auto found = answers.find(line.substr(0, line.find('?')));
            const bool known = found != answers.end();
            session->send(net::testing::answer(known ? found->second.second : "{}",
                                               known ? found->second.first : "404 Not Found"));
        });
        cluster = std::make_unique<Cluster>(
            *client, "me", [this](const std::string& w) { warnings.push_back(w); });
    }
    void knows(const std::string& request, std::string body, std::string status = "200 OK") {
        answers[request] = {std::move(status), std::move(body)};
    }
    void knows_workload() {
        knows("GET /apis/apps/v1/namespaces/shop/statefulsets/web", statefulset_text);
        knows("GET /api/v1/namespaces/shop/pods", R"({"metadata":{},"items":[)" + pod_text + "]}");
    }
    template <class Effect>
    controller::Input outcome(const Effect& effect) {
        std::optional<controller::Input> came;
        cluster->run(effect, [&](controller::Input input) { came = std::move(input); });
        run_until([&] { return came.has_value(); });
        return std::move(*came);
    }
    kube::Answer<controller::LiveWorkload> read(std::vector<model::Ref> names,
                                                const model::Ref& subject = web_set) {
        auto input = outcome(controller::ReadWorkload{7, subject, std::move(names)});
        EXPECT_EQ(std::get<controller::WorkloadRead>(input).ticket, 7u);
        return std::get<controller::WorkloadRead>(std::move(input)).answer;
    }
    kube::Answer<std::optional<model::Object>> write(engine::Action action) {
        auto input = outcome(controller::Write{7, std::move(action)});
        EXPECT_EQ(std::get<controller::Written>(input).ticket, 7u);
        return std::get<controller::Written>(std::move(input)).answer;
    }

    std::map<std::string, std::pair<std::string, std::string>> answers;
    std::vector<std::string> requests;
    std::vector<std::string> warnings;
    std::unique_ptr<Cluster> cluster;
};

TEST_F(ClusterTest, AWorkloadIsReadWithTheObjectsThatExist) {
    knows_workload();
    knows("GET " + objects + "/web", rollout_text);
    open();
    const auto live = read({{&rollouts, "shop", "web"}, {&rollouts, "shop", "gone"}});
    ASSERT_TRUE(live.has_value()) << live.error().message;
    EXPECT_EQ(live->set.meta.key, web);
    EXPECT_EQ(live->pods.size(), 1u);
    ASSERT_EQ(live->objects.size(), 1u);
    EXPECT_EQ(live->objects[0].resource, &rollouts);
    EXPECT_EQ(live->objects[0].object, model::decode_custom_object(rollout_text));
    EXPECT_THAT(requests, ElementsAre(HasSubstr("/statefulsets/web"), "GET " + objects + "/gone",
                                      "GET " + objects + "/web", HasSubstr("/pods?")))
        << "pods after the objects, without a resourceVersion";
}

TEST_F(ClusterTest, AReadWithAnObjectThatCannotBeReadFails) {
    knows_workload();
    knows("GET " + objects + "/web", R"({"message":"no"})", "500 Oh");
    open();
    auto live = read({{&rollouts, "shop", "web"}});
    ASSERT_FALSE(live.has_value());
    EXPECT_EQ(live.error().status, 500);
    EXPECT_THAT(live.error().message, HasSubstr("cannot get phasedrollouts"));
    knows("GET " + objects + "/web", "{}");
    live = read({{&rollouts, "shop", "web"}});
    ASSERT_FALSE(live.has_value());
    EXPECT_EQ(live.error().status, 0);
}

TEST_F(ClusterTest, OfASetThatDoesNotExistTheObjectsAreRead) {
    knows("GET " + objects + "/web", rollout_text);
    open();
    const auto live = read({{&rollouts, "shop", "web"}});
    ASSERT_TRUE(live.has_value()) << live.error().message;
    EXPECT_EQ(live->set.meta.key, web);
    EXPECT_EQ(live->set.meta.uid, "");
    EXPECT_EQ(live->objects.size(), 1u);
    EXPECT_THAT(requests, ElementsAre(HasSubstr("/statefulsets/web"), "GET " + objects + "/web"));
}

TEST_F(ClusterTest, NoSetIsAskedForIfTheSubjectIsNone) {
    knows("GET " + objects + "/web", rollout_text);
    knows("GET " + cluster_objects + "/salt", R"({"metadata":{"name":"salt","uid":"u"}})");
    open();
    const auto live =
        read({{&rollouts, "shop", "web"}, {&recipes, "", "salt"}}, {&rollouts, "shop", "web"});
    ASSERT_TRUE(live.has_value()) << live.error().message;
    EXPECT_EQ(live->objects.size(), 2u);
    EXPECT_THAT(requests,
                ElementsAre("GET " + cluster_objects + "/salt", "GET " + objects + "/web"))
        << "an object of the cluster is in no namespace";
}

TEST_F(ClusterTest, AnObjectIsCreatedAsItIs) {
    knows("POST " + objects, rollout_text, "201 Created");
    open();
    const auto create = [&] {
        return write({.verb = Verb::Create,
                      .object = {{&rollouts, "shop", "web"}, ""},
                      .body = R"({"spec":{}})"});
    };
    const auto made = create();
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_EQ(model::meta_of(**made).key, web);
    EXPECT_THAT(requests, ElementsAre("POST " + objects + R"( {"spec":{}})"));
    knows("POST " + objects, R"({"reason":"AlreadyExists","message":"is there"})", "409 No");
    EXPECT_EQ(create().error().status, 409);
}

TEST_F(ClusterTest, AnObjectIsDeletedByItsUidAndWhatItOwnsGoesToo) {
    knows("DELETE " + objects + "/web", R"({"kind":"Status","status":"Success"})");
    open();
    const auto remove = [&] {
        return write(engine::deletion_of({ref_to(rollouts, web), "uid-1"}));
    };
    EXPECT_TRUE(remove().has_value());
    EXPECT_THAT(requests, ElementsAre("DELETE " + objects + "/web " +
                                      R"({"apiVersion":"v1","kind":"DeleteOptions",)"
                                      R"("propagationPolicy":"Background",)"
                                      R"("preconditions":{"uid":"uid-1"}})"));
    for (const int status : {404, 409}) {
        knows("DELETE " + objects + "/web", "{}", std::to_string(status) + " No");
        EXPECT_EQ(remove().error().status, status);
    }
}

TEST_F(ClusterTest, AnObjectOrItsStatusIsPatched) {
    knows("PATCH " + objects + "/web", rollout_text);
    knows("PATCH " + objects + "/web/status", rollout_text);
    open();
    for (const bool of_status : {false, true}) {
        const auto patched =
            write({.object = {ref_to(rollouts, web), "u"}, .body = "[]", .of_status = of_status});
        ASSERT_TRUE(patched.has_value());
        EXPECT_EQ(model::meta_of(**patched).key, web);
    }
    EXPECT_THAT(requests, ElementsAre("PATCH " + objects + "/web?fieldManager=sluice []",
                                      "PATCH " + objects + "/web/status?fieldManager=sluice []"));
    knows("PATCH " + objects + "/web", R"({"message":"test failed"})", "422 No");
    const auto refused = write({.object = {ref_to(rollouts, web), "u"}, .body = "[]"});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().status, 422);
}

TEST_F(ClusterTest, APodIsDeletedByItsUidAndWithItsOwnGrace) {
    knows("DELETE /api/v1/namespaces/shop/pods/web", pod_text);
    open();
    const auto remove = [&] {
        return write(engine::deletion_of({ref_to(model::pods, web), "uid-1"}));
    };
    EXPECT_TRUE(remove().has_value());
    EXPECT_THAT(requests, ElementsAre("DELETE /api/v1/namespaces/shop/pods/web "
                                      R"({"apiVersion":"v1","kind":"DeleteOptions",)"
                                      R"("propagationPolicy":"Background",)"
                                      R"("preconditions":{"uid":"uid-1"}})"));
    knows("DELETE /api/v1/namespaces/shop/pods/web", R"({"message":"other uid"})", "409 No");
    EXPECT_EQ(remove().error().status, 409);
}

TEST_F(ClusterTest, AListOfCustomObjectsWarnsOfThoseThatItLeavesOut) {
    knows("GET " + objects, R"({"metadata":{"resourceVersion":"9"},"items":[{},)" + rollout_text +
                                "," + huge_object() + "]}");
    open();
    const auto input = outcome(controller::StartList{3, {&rollouts, "shop"}, {}});
    const auto& page = std::get<controller::PageArrived>(input).page;
    EXPECT_EQ(page.items.size(), 1u);
    EXPECT_EQ(page.left_out.size(), 2u);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("list phasedrollouts"), HasSubstr("list ")));
}

TEST_F(ClusterTest, AWatchSaysWhereAnEventCouldNotBeRead) {
    knows("GET " + objects, watch_line("ADDED", "{}") + "\n" +
                                watch_line("MODIFIED", huge_object()) + "\n" +
                                R"({"type":"ADDED","object":{"metadata":)"
                                R"({"name":"web","uid":"u"}}})" +
                                "\n");
    open();
    std::vector<model::WatchEvent> seen;
    bool ended = false;
    cluster->watch({3, {&rollouts, "shop"}, {}}, [&](controller::Input input) {
        auto* arrived = std::get_if<controller::EventsArrived>(&input);
        ended = !arrived;
        if (!arrived) return;
        for (model::WatchEvent& event : arrived->events)
            seen.push_back(std::move(event));
    });
    run_until([&] { return ended; });
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_TRUE(std::holds_alternative<model::LeftOut>(seen[0]));
    EXPECT_TRUE(std::holds_alternative<model::LeftOut>(seen[1]));
    EXPECT_TRUE(std::holds_alternative<model::Changed>(seen[2]));
    EXPECT_EQ(warnings.size(), 2u);
}

}  // namespace
}  // namespace sluice::kube::test
