// Inquiries about pods and what their containers have printed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/probe/hook_world.hpp"

namespace sluice::probe::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string pods = "/api/v1/namespaces/shop/pods?limit=500&labelSelector=job-name%3Dj";
// One byte more than is wanted.
std::string log_up_to(std::size_t bytes_max) {
    return fmt::format("/api/v1/namespaces/shop/pods/web-0/log?container=main&limitBytes={}",
                       bytes_max + 1);
}
const std::string log = log_up_to(8);

class LogInquiries : public HookWorld {
  protected:
    // What was learnt once the pods are listed and the log is read.
    api::Learnt learn(std::size_t bytes_max = 8) {
        open();
        std::optional<api::Learnt> all;
        bool is_over = false;
        caller->begin({"shop", 60s,
                       [&](const api::Learnt& learnt) -> api::Move {
                           if (learnt.pod_lists.empty()) return api::NeedPods{"job-name=j"};
                           if (learnt.logs.empty()) return api::NeedLog{"web-0", "main", bytes_max};
                           all = learnt;
                           return engine::answer_of(true);
                       },
                       [](const Error&) { return engine::answer_of(false); }},
                      [&](const api::Said&) { is_over = true; });
        while (!is_over && loop.run_one_for(60s) > 0) {
        }
        return all.value_or(api::Learnt{});
    }
    Result<Redacted> read(std::size_t bytes_max = 8) {
        return learn(bytes_max).logs.at({"web-0", "main"});
    }
};

TEST_F(LogInquiries, PodsAreFoundByTheirLabelsAndTheirLogsAreText) {
    objects[pods] = {200, R"({"items":[)" + pod_json("web-0", "u0") + "]}"};
    objects[log] = {200, "{}\n"};
    const api::Learnt learnt = learn();
    const auto& found = learnt.pod_lists.at("job-name=j");
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1u);
    EXPECT_EQ(found->front().uid, "u0");
    EXPECT_THAT(found->front().json, Not(HasSubstr("managedFields")));
    EXPECT_EQ(learnt.logs.at({"web-0", "main"})->reveal(), "{}\n");
}

TEST_F(LogInquiries, ALogThatIsTooLongIsNoneAndIsNotRepeated) {
    objects[pods] = {200, R"({"items":[]})"};
    objects[log] = {200, canary};
    const auto found = read();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, ErrorKind::TooLarge);
    EXPECT_THAT(found.error().message, Not(HasSubstr("canary")));
}

TEST_F(LogInquiries, OneThatIsGoneOrForbiddenSaysSo) {
    objects[pods] = {200, R"({"items":[]})"};
    EXPECT_EQ(read(1024).error().kind, ErrorKind::NotFound);
    objects[log_up_to(1024)] = {403, R"({"kind":"Status","message":"no"})"};
    EXPECT_EQ(read(1024).error().kind, ErrorKind::Forbidden);
}

}  // namespace
}  // namespace sluice::probe::test
