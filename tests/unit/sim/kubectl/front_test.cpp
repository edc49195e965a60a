#include "sim/kubectl/front.hpp"

#include <gmock/gmock.h>

namespace sluice::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Instant now{1'790'000'000'000};
const std::string as_table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

class Front : public ::testing::Test {
  protected:
    Front() {
        server.create({{"apiVersion", "v1"},
                       {"kind", "Namespace"},
                       {"metadata", json::object{{"name", "default"}}}},
                      admin, now);
        for (const char* name : {"a", "b"})
            server.create({{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", json::object{{"name", name}, {"namespace", "default"}}}},
                          admin, now);
    }

    Response get(const std::string& target, const std::string& accept = "application/json") {
        Request request = to_request("GET", target);
        request.accept = accept;
        return serve_client(server, request, now + 5s);
    }

    ApiServer server{1};
};

TEST_F(Front, tells_what_there_is) {
    EXPECT_EQ(text_at(get("/apis/apps/v1").body.as_object(), "/kind"), "APIResourceList");
    EXPECT_EQ(text_at(get("/openapi/v3/apis/apps/v1").body.as_object(), "/openapi"), "3.0.0");
    EXPECT_EQ(get("/openapi/v3/apis/apps/v7").status, 404);
    EXPECT_EQ(get("/readyz").text, "ok");
    EXPECT_EQ(get("/nowhere").status, 404);
}

TEST_F(Front, shows_a_list_as_a_table_to_those_who_ask_for_one) {
    const json::object rows =
        get("/api/v1/namespaces/default/configmaps", as_table).body.as_object();
    EXPECT_EQ(text_at(rows, "/kind"), "Table");
    EXPECT_EQ(text_at(rows, "/rows/1/cells/0"), "b");
    EXPECT_EQ(text_at(rows, "/rows/1/cells/2"), "5s");
    EXPECT_FALSE(text_at(rows, "/metadata/resourceVersion").empty());
    EXPECT_EQ(text_at(get("/api/v1/namespaces/default/configmaps").body.as_object(), "/kind"),
              "ConfigMapList");
}

TEST_F(Front, shows_one_object_as_a_table_and_a_refusal_as_it_is) {
    const json::object one =
        get("/api/v1/namespaces/default/configmaps/a", as_table).body.as_object();
    EXPECT_EQ(array_at(one, "/rows").size(), 1u);
    const Response none = get("/api/v1/namespaces/default/configmaps/c", as_table);
    EXPECT_EQ(none.status, 404);
    EXPECT_EQ(text_at(none.body.as_object(), "/kind"), "Status");
}

TEST_F(Front, pages_tables_like_lists) {
    const json::object page =
        get("/api/v1/namespaces/default/configmaps?limit=1", as_table).body.as_object();
    EXPECT_EQ(array_at(page, "/rows").size(), 1u);
    EXPECT_FALSE(text_at(page, "/metadata/continue").empty());
}

TEST_F(Front, reads_protobuf_and_refuses_what_it_cannot_read) {
    Request request = to_request("POST", "/api/v1/namespaces/default/configmaps");
    request.content_type = "application/vnd.kubernetes.protobuf";
    request.body = std::string("k8s\0", 4) +
                   "\x0a\x0f\x0a\x02v1\x12\x09"
                   "ConfigMap\x12\x05\x0a\x03\x0a\x01z";
    EXPECT_EQ(serve_client(server, request, now).status, 201);
    EXPECT_TRUE(server.find("configmaps", "default", "z"));
    request.body = "nonsense";
    EXPECT_EQ(serve_client(server, request, now).status, 415);
}

TEST_F(Front, writes_the_events_of_a_watch_as_lines) {
    auto watch = get("/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&"
                     "allowWatchBookmarks=true")
                     .watch;
    ASSERT_TRUE(watch);
    const auto events = server.watch_events(*watch);
    ASSERT_EQ(events.size(), 3u);
    const std::string line = watch_line(server, *watch, events[0], now);
    EXPECT_THAT(line, StartsWith(R"({"type":"ADDED","object":{)"));
    EXPECT_THAT(line, HasSubstr(R"("name":"a")"));
    EXPECT_TRUE(line.ends_with("}}\n"));
    const std::string bookmark = watch_line(server, *watch, events[2], now);
    EXPECT_THAT(bookmark, StartsWith(R"({"type":"BOOKMARK")"));
    EXPECT_THAT(bookmark, HasSubstr(R"("kind":"ConfigMap")"));
}

TEST_F(Front, writes_them_as_tables_to_those_who_ask_for_tables) {
    auto watch = get("/api/v1/configmaps?watch=true", as_table).watch;
    ASSERT_TRUE(watch);
    const auto events = server.watch_events(*watch);
    ASSERT_FALSE(events.empty());
    EXPECT_THAT(watch_line(server, *watch, events[0], now + 7s),
                HasSubstr(R"("cells":["a",0,"7s"])"));
}

TEST_F(Front, shows_events_in_the_version_that_was_asked_for) {
    server.create({{"apiVersion", "v1"},
                   {"kind", "Event"},
                   {"metadata", json::object{{"name", "e"}, {"namespace", "default"}}},
                   {"message", "It happened."}},
                  admin, now);
    auto watch = get("/apis/events.k8s.io/v1/events?watch=true").watch;
    ASSERT_TRUE(watch);
    const auto events = server.watch_events(*watch);
    ASSERT_FALSE(events.empty());
    const std::string line = watch_line(server, *watch, events[0], now);
    EXPECT_THAT(line, HasSubstr(R"("apiVersion":"events.k8s.io/v1")"));
    EXPECT_THAT(line, HasSubstr(R"("note":"It happened.")"));
}

}  // namespace
}  // namespace sluice::sim
