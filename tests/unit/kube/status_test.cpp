#include "kube/status.hpp"

#include <gtest/gtest.h>

namespace sluice::kube {
namespace {

constexpr Instant now{784'111'777'000};

const ApiRequest get_web{.method = "GET",
                         .path = "/apis/apps/v1/namespaces/x/statefulsets/web?a=b"};
const ApiRequest json_patch_web{.method = "PATCH",
                                .path = "/apis/apps/v1/namespaces/x/statefulsets/web",
                                .content_type = "application/json-patch+json",
                                .body = "[]"};
const ApiRequest merge_patch_web{.method = "PATCH",
                                 .path = "/apis/apps/v1/namespaces/x/statefulsets/web",
                                 .content_type = "application/merge-patch+json",
                                 .body = "{}"};

net::HttpResponse answer(int status, std::string body = "") {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

std::string status_body(const std::string& message, const std::string& reason = "") {
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
           message + R"(","reason":")" + reason + R"(","details":{},"code":0})";
}

struct Mapping {
    int status;
    ErrorKind kind;
};

TEST(Status, maps_each_code_to_what_it_means) {
    const Mapping mappings[] = {
        {400, ErrorKind::Invalid},  {401, ErrorKind::Unauthorized}, {403, ErrorKind::Forbidden},
        {404, ErrorKind::NotFound}, {405, ErrorKind::Invalid},      {408, ErrorKind::Timeout},
        {409, ErrorKind::Conflict}, {410, ErrorKind::Gone},         {413, ErrorKind::Invalid},
        {415, ErrorKind::Invalid},  {422, ErrorKind::Invalid},      {429, ErrorKind::Throttled},
        {500, ErrorKind::Server},   {502, ErrorKind::Server},       {503, ErrorKind::Server},
        {504, ErrorKind::Server},   {599, ErrorKind::Server},       {302, ErrorKind::Malformed},
    };
    for (const Mapping& mapping : mappings) {
        const ApiError error = api_error(get_web, answer(mapping.status), now);
        EXPECT_EQ(error.error.kind, mapping.kind) << mapping.status;
        EXPECT_EQ(error.status, mapping.status);
    }
}

TEST(Status, takes_a_422_to_a_json_patch_for_a_failed_test) {
    // What a kube-apiserver says of a `test` operation that does not hold.
    const auto refused = answer(
        422,
        status_body("the server rejected our request due to an error in our request", "Invalid"));
    EXPECT_EQ(api_error(json_patch_web, refused, now).error.kind, ErrorKind::Conflict);
    EXPECT_EQ(api_error(merge_patch_web, refused, now).error.kind, ErrorKind::Invalid);
    EXPECT_EQ(api_error(get_web, refused, now).error.kind, ErrorKind::Invalid);
}

TEST(Status, keeps_the_servers_sentence_and_reason) {
    const std::string message =
        R"(statefulsets.apps \"web\" is forbidden: User \"x\" cannot patch )"
        R"(resource \"statefulsets\" in API group \"apps\")";
    const ApiError error =
        api_error(json_patch_web, answer(403, status_body(message, "Forbidden")), now);
    EXPECT_EQ(error.error.message, R"(statefulsets.apps "web" is forbidden: User "x" cannot patch )"
                                   R"(resource "statefulsets" in API group "apps")");
    EXPECT_EQ(error.reason, "Forbidden");
}

TEST(Status, tells_what_was_asked_where_the_server_says_nothing) {
    const std::string asked = "GET /apis/apps/v1/namespaces/x/statefulsets/web";
    const auto sentence = [](int status) {
        return api_error(get_web, answer(status, "<html>secret page</html>"), now).error.message;
    };
    EXPECT_EQ(sentence(503), "the server answered 503 to " + asked + ", and does not say why");
    EXPECT_EQ(sentence(403), "the server forbids " + asked + ", and does not say why");
    EXPECT_EQ(sentence(401), "the server refused our credentials (401) at " + asked);
    EXPECT_EQ(sentence(302),
              "the server sent us elsewhere (302) for " + asked + "; check its address");
}

TEST(Status, believes_only_a_status_object) {
    for (const std::string body :
         {R"({"kind":"Pod","message":"hello"})", R"({"message":"hello"})", R"(["hello"])",
          R"({"kind":"Status","message":7})", R"({"kind":"Status","message":"hello")"}) {
        const ApiError error = api_error(get_web, answer(500, body), now);
        EXPECT_EQ(error.error.message.find("hello"), std::string::npos) << body;
    }
}

TEST(Status, bounds_and_cleans_the_message) {
    const ApiError longer =
        api_error(get_web, answer(500, status_body(std::string(5000, 'x'))), now);
    EXPECT_EQ(longer.error.message, std::string(1024, 'x') + "...");
    const ApiError colored =
        api_error(get_web, answer(500, status_body(R"(a\u001b[31m\r\nb)")), now);
    EXPECT_EQ(colored.error.message, "a [31m  b");
    const std::string deep(100'000, '[');
    EXPECT_NO_FATAL_FAILURE(
        api_error(get_web, answer(500, R"({"kind":"Status","details":)" + deep), now));
    const ApiError huge =
        api_error(get_web, answer(500, status_body(std::string(300 << 10, 'x'))), now);
    EXPECT_EQ(huge.error.message.find("xx"), std::string::npos);
}

TEST(Status, carries_retry_after) {
    auto response = answer(429, status_body("too many requests", "TooManyRequests"));
    response.retry_after = "7";
    EXPECT_EQ(api_error(get_web, response, now).retry_after, 7s);
    response.retry_after = "";
    EXPECT_EQ(api_error(get_web, response, now).retry_after, 0s);
}

}  // namespace
}  // namespace sluice::kube
