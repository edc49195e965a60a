// The client against a real API server: lists in pages, watches, every kind of write. Started by
// tests/cluster/test_client.py, which gives it a kubeconfig and a namespace of its own.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <cstdlib>

#include "kube/cluster.hpp"
#include "wire/paths.hpp"
#include "wire/requests.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;
using namespace wire;
template <class T>
using Answer = controller::Answer<T>;

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

class Client : public testing::Test {
  protected:
    Client() {
        auto credentials = from_kubeconfig(loop_, {from_environment("SLUICE_TEST_KUBECONFIG")}, "");
        if (!credentials) {
            ADD_FAILURE() << credentials.error().message
                          << " (this program is started by tests/cluster/test_client.py)";
            std::abort();
        }
        client_ = std::make_unique<ApiClient>(loop_, *credentials, 4);
        cluster_ = std::make_unique<Cluster>(
            *client_, "test", [](const std::string& text) { ADD_FAILURE() << text; });
    }

    // Runs the loop until somebody says that it is over.
    template <class T>
    T wait(std::function<void(std::function<void(T)>)> start) {
        std::optional<T> result;
        start([&](T value) {
            result = std::move(value);
            loop_.stop();
        });
        loop_.restart();
        loop_.run();
        return std::move(result.value());
    }

    template <class Effect>
    controller::Input outcome(const Effect& effect) {
        return wait<controller::Input>([&](std::function<void(controller::Input)> done) {
            cluster_->run(effect, std::move(done));
        });
    }
    Answer<model::ListPage> list(const model::Resource& resource,
                                 const runtime::ListRequest& request = {}) {
        auto input = outcome(controller::StartList{1, {&resource, ns_}, request});
        if (auto* page = std::get_if<controller::PageArrived>(&input)) return std::move(page->page);
        return std::unexpected(std::get<controller::SessionFailed>(std::move(input)).failure);
    }
    Answer<std::optional<model::Object>> write(engine::Action action) {
        return std::get<controller::Written>(outcome(controller::Write{1, std::move(action)}))
            .answer;
    }

    ApiResult<ApiResponse> send(ApiRequest request) {
        return wait<ApiResult<ApiResponse>>(
            [&](ApiClient::Done done) { client_->send(std::move(request), std::move(done)); });
    }

    std::string configmaps() const { return "/api/v1/namespaces/" + ns_ + "/configmaps"; }
    std::string configmap(const std::string& name) const { return configmaps() + "/" + name; }
    json::value made(const std::string& name) {
        const auto answer = send(create(configmaps(), body(name, "1")));
        EXPECT_TRUE(answer) << answer.error().error.message;
        return json::parse(answer.value().body);
    }
    static std::string body(const std::string& name, const std::string& value) {
        return json::serialize(json::object{{"apiVersion", "v1"},
                                            {"kind", "ConfigMap"},
                                            {"metadata", {{"name", name}}},
                                            {"data", {{"key", value}}}});
    }
    static std::string uid_of(const json::value& object) {
        return std::string{object.at_pointer("/metadata/uid").as_string()};
    }

    std::string ns_ = from_environment("SLUICE_TEST_NAMESPACE");
    boost::asio::io_context loop_;
    std::unique_ptr<ApiClient> client_;
    std::unique_ptr<Cluster> cluster_;
};

TEST_F(Client, CreatesAndSaysWhenThereIsOneAlready) {
    made("once");
    const auto again = send(create(configmaps(), body("once", "2")));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().error.kind, ErrorKind::Conflict);
    EXPECT_EQ(again.error().reason, "AlreadyExists");
}

TEST_F(Client, UpdatesOnlyTheVersionItSaw) {
    const json::value first = made("versions");
    json::value changed = first;
    changed.as_object()["data"] = json::object{{"key", "2"}};
    ASSERT_TRUE(send(update(configmap("versions"), json::serialize(changed))));
    const auto stale = send(update(configmap("versions"), json::serialize(changed)));
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().error.kind, ErrorKind::Conflict);
}

TEST_F(Client, AJsonPatchWhoseTestFailsIsAConflictAndChangesNothing) {
    made("patched");
    const auto failed = send(json_patch(configmap("patched"),
                                        R"([{"op":"test","path":"/data/key","value":"other"},)"
                                        R"({"op":"replace","path":"/data/key","value":"2"}])"));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().error.kind, ErrorKind::Conflict);
    const auto passed = send(json_patch(
        configmap("patched"), R"([{"op":"test","path":"/data/key","value":"1"},)"
                              R"({"op":"test","path":"/metadata/annotations","value":null},)"
                              R"({"op":"replace","path":"/data/key","value":"2"}])"));
    ASSERT_TRUE(passed) << passed.error().error.message;
    EXPECT_EQ(json::parse(passed->body).at_pointer("/data/key").as_string(), "2");
}

TEST_F(Client, MergePatchesKeepWhatTheyDoNotName) {
    made("merged");
    const auto answer = send(merge_patch(configmap("merged"), R"({"data":{"more":"x"}})"));
    ASSERT_TRUE(answer) << answer.error().error.message;
    const json::value object = json::parse(answer->body);
    EXPECT_EQ(object.at_pointer("/data/key").as_string(), "1");
    EXPECT_EQ(object.at_pointer("/data/more").as_string(), "x");
}

TEST_F(Client, ServerSideApplyCreatesAndConflictsWithOtherManagersUnlessForced) {
    const auto first = send(apply(configmap("applied"), body("applied", "1"), false));
    ASSERT_TRUE(first) << first.error().error.message;
    EXPECT_EQ(first->status, 201);
    ApiRequest stranger = merge_patch(configmap("applied"), R"({"data":{"key":"2"}})");
    stranger.path = configmap("applied") + "?fieldManager=stranger";
    ASSERT_TRUE(send(stranger));
    const auto conflict = send(apply(configmap("applied"), body("applied", "3"), false));
    ASSERT_FALSE(conflict);
    EXPECT_EQ(conflict.error().error.kind, ErrorKind::Conflict);
    EXPECT_TRUE(send(apply(configmap("applied"), body("applied", "3"), true)));
}

TEST_F(Client, DeletesThisVeryObjectAndNoNamesake) {
    const std::string uid = uid_of(made("doomed"));
    const auto other = send(remove(configmap("doomed"), "00000000-0000-4000-8000-000000000000"));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().error.kind, ErrorKind::Conflict);
    ASSERT_TRUE(send({.path = configmap("doomed")}));
    ASSERT_TRUE(send(remove(configmap("doomed"), uid)));
    EXPECT_EQ(send({.path = configmap("doomed")}).error().error.kind, ErrorKind::NotFound);
}

TEST_F(Client, TheStatusSubresourceChangesStatusOnly) {
    const std::string path = "/api/v1/namespaces/" + ns_ + "/services";
    ASSERT_TRUE(send(create(path, R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},)"
                                  R"("spec":{"ports":[{"port":80}]}})")));
    const auto answer = send(merge_patch(
        path + "/s/status",
        R"({"spec":{"sessionAffinity":"ClientIP"},"status":{"conditions":[{"type":"Seen",)"
        R"("status":"True","reason":"Test","message":"","lastTransitionTime":)"
        R"("2026-01-01T00:00:00Z"}]}})"));
    ASSERT_TRUE(answer) << answer.error().error.message;
    const json::value object = json::parse(answer->body);
    EXPECT_EQ(object.at_pointer("/spec/sessionAffinity").as_string(), "None");
    EXPECT_EQ(object.at_pointer("/status/conditions/0/type").as_string(), "Seen");
}

TEST_F(Client, ListsInPagesUntilThereAreNoMore) {
    for (const char* name : {"page-a", "page-b", "page-c"})
        made(name);
    std::string next;
    std::size_t pages = 0, objects = 0;
    do {
        auto page = list(model::config_maps, {.next = next, .limit = 2});
        ASSERT_TRUE(page) << page.error().message;
        EXPECT_LE(page->items.size(), 2u);
        objects += page->items.size();
        next = page->next;
        ++pages;
    } while (!next.empty());
    EXPECT_GT(pages, 1u);
    EXPECT_GE(objects, 3u);
}

TEST_F(Client, AContinueTokenThatIsNoneIsRefused) {
    const auto page = list(model::config_maps, {.next = "bm90IGEgdG9rZW4", .limit = 2});
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().status, 400);
}

TEST_F(Client, AStreamedListEndsWithABookmark) {
    made("streamed");
    const runtime::WatchScope scope{&model::config_maps, ns_, {.name = "streamed"}};
    std::vector<std::string> seen;
    std::string version;
    const bool complete = wait<bool>([&](std::function<void(bool)> done) {
        const runtime::WatchRequest request{
            .resource_version = {}, .initial_events = true, .timeout = 60s};
        cluster_->watch({1, scope, request}, [&, done](const controller::Input& input) {
            const auto* arrived = std::get_if<controller::EventsArrived>(&input);
            if (!arrived) return done(false);
            for (const model::WatchEvent& event : arrived->events) {
                if (const auto* changed = std::get_if<model::Changed>(&event))
                    seen.push_back(model::meta_of(changed->object).key.name);
                const auto* bookmark = std::get_if<model::Bookmark>(&event);
                if (!bookmark || !bookmark->initial_events_end) continue;
                version = bookmark->resource_version;
                done(true);
            }
        });
    });
    EXPECT_TRUE(complete);
    EXPECT_EQ(seen, std::vector<std::string>{"streamed"});
    EXPECT_FALSE(version.empty());
}

constexpr model::Resource rollouts{"sts.plus", "v1alpha1", "phasedrollouts", "PhasedRollout"};

TEST_F(Client, AResourceThatNobodyDefinedIsNotFound) {
    constexpr model::Resource martians{"mars.example", "v1", "martians", "Martian"};
    const auto page = list(martians);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().status, 404);
    const auto ended = wait<int>([&](const std::function<void(int)>& done) {
        const runtime::WatchRequest request{.resource_version = {}, .initial_events = true};
        cluster_->watch({1, {&martians, ns_}, request}, [done](const controller::Input& input) {
            const auto* failed = std::get_if<controller::SessionFailed>(&input);
            done(failed ? failed->failure.status : 0);
        });
    });
    EXPECT_EQ(ended, 404);
}

TEST_F(Client, ACustomObjectIsListedPatchedAndReadWithItsWorkload) {
    const model::ObjectKey web{ns_, "web"};
    const std::string objects = collection_path(rollouts, ns_);
    ASSERT_TRUE(send(create(objects, R"({"apiVersion":"sts.plus/v1alpha1","kind":"PhasedRollout",)"
                                     R"("metadata":{"name":"web"},"spec":{"targetRef":"web",)"
                                     R"("check":{"query":{"expr":"up","url":"prom"}}}})")));
    const std::string labels = R"({"app":"web"})";
    ASSERT_TRUE(
        send(create(collection_path(model::statefulsets, ns_),
                    R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},)"
                    R"("spec":{"replicas":0,"serviceName":"web","selector":{"matchLabels":)" +
                        labels + R"(},"template":{"metadata":{"labels":)" + labels +
                        R"(},"spec":{"containers":[{"name":"a","image":"a"}]}}}})")));
    const auto page = list(rollouts);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->items.size(), 1u);

    const auto patch = [&](bool of_status, const std::string& body) -> Answer<model::CustomObject> {
        auto answer =
            write({.object = {ref_to(rollouts, web), "any"}, .body = body, .of_status = of_status});
        if (!answer) return std::unexpected(answer.error());
        return std::get<model::CustomObject>(std::move(answer->value()));
    };
    const auto status =
        patch(true, R"([{"op":"add","path":"/status","value":{"phase":"Rolling"}}])");
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(json::parse(status->status).at("phase"), "Rolling");
    const auto held = patch(false, R"([{"op":"add","path":"/metadata/finalizers",)"
                                   R"("value":["sts.plus/finalizer"]}])");
    ASSERT_TRUE(held) << held.error().message;
    EXPECT_TRUE(model::has_finalizer(*held, "sts.plus/finalizer"));
    const auto late = patch(true, R"([{"op":"test","path":"/status/phase","value":"Updated"}])");
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, 422);

    const auto live =
        std::get<controller::WorkloadRead>(
            outcome(controller::ReadWorkload{1,
                                             ref_to(model::statefulsets, web),
                                             {{&rollouts, ns_, "web"}, {&rollouts, ns_, "gone"}}}))
            .answer;
    ASSERT_TRUE(live) << live.error().message;
    ASSERT_EQ(live->objects.size(), 1u);
    EXPECT_EQ(live->objects[0].object.meta.uid, held->meta.uid);
    EXPECT_TRUE(patch(false, R"([{"op":"remove","path":"/metadata/finalizers"}])"));
}

TEST_F(Client, APodIsDeletedByItsUidAndByNoOther) {
    const model::ObjectKey key{ns_, "lonely"};
    const auto pod = send(create("/api/v1/namespaces/" + ns_ + "/pods",
                                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"lonely"},)"
                                 R"("spec":{"containers":[{"name":"a","image":"a"}]}})"));
    ASSERT_TRUE(pod) << pod.error().error.message;
    const auto remove = [&](const std::string& uid, std::uint64_t version = 0) {
        return write(engine::deletion_of({ref_to(model::pods, key), uid}, version));
    };
    const auto other = remove("11111111-2222-4333-8444-555555555555");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().status, 409);
    const auto older = remove(uid_of(json::parse(pod->body)), 1);
    ASSERT_FALSE(older) << "it is of another version now";
    EXPECT_EQ(older.error().status, 409);
    const auto gone = remove(uid_of(json::parse(pod->body)));
    EXPECT_TRUE(gone) << gone.error().message;
}

TEST_F(Client, AMissingRightIsNamed) {
    const auto answer = send({.path = "/api/v1/namespaces/kube-system/secrets"});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().error.kind, ErrorKind::Forbidden);
    EXPECT_NE(answer.error().error.message.find("secrets"), std::string::npos);
    EXPECT_NE(answer.error().error.message.find("list"), std::string::npos);
}

}  // namespace
}  // namespace sluice::kube
