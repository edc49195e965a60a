#include "sim/world/services.hpp"

#include <gtest/gtest.h>

namespace sluice::sim {
namespace {

api::Ask asking(const std::string& url) {
    api::Ask ask;
    ask.method = "GET";
    ask.url = url;
    return ask;
}

TEST(WebServer, SaysWhatWasSetAndNothingElse) {
    WebServer web;
    web.set("http://api/health", "{}");
    EXPECT_EQ(web.answer(asking("http://api/health?full=1"))->body, "{}");
    EXPECT_EQ(web.answer(asking("http://api/other"))->status, 404);
    web.set("http://api/health", "");
    EXPECT_EQ(web.answer(asking("http://api/health"))->status, 404);
}

TEST(WebServer, CanBeDownOrSlow) {
    WebServer web;
    web.set("http://api/health", "{}");
    web.mood = WebServer::Mood::Down;
    EXPECT_EQ(web.answer(asking("http://api/health")).error().kind, ErrorKind::Unreachable);
    web.mood = WebServer::Mood::Slow;
    EXPECT_EQ(web.answer(asking("http://api/health")).error().kind, ErrorKind::Timeout);
}

}  // namespace
}  // namespace sluice::sim
