// From effects to requests and from answers to inputs, without a server.
#include "wire/call.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/model/texts.hpp"
#include "wire/requests.hpp"

namespace sluice::wire {
namespace {

using controller::PageArrived;
using controller::ReadWorkload;
using controller::SessionFailed;
using controller::StartList;
using controller::WorkloadRead;
using controller::Write;
using controller::Written;
using model::testing::pod_text;
using model::testing::rollout_text;
using model::testing::rollouts;
using model::testing::statefulset_text;
using model::testing::watch_line;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Verb = engine::Action::Verb;

const model::Ref web{&model::statefulsets, "shop", "web"};
const std::string set_path = "/apis/apps/v1/namespaces/shop/statefulsets/web";

Answer refused(int status) {
    return std::unexpected(runtime::RequestFailure{status, 2s, "no"});
}

std::string pods_page(const std::string& next) {
    return fmt::format(R"({{"metadata":{{"continue":"{}"}},"items":[{}]}})", next, pod_text);
}

// Answers one request after the other, and keeps their paths.
struct Talk {
    Next play(Next next, const std::vector<Answer>& answers) {
        for (const Answer& answer : answers) {
            EXPECT_FALSE(next.input.has_value());
            if (!next.call) return next;
            paths.push_back(next.call->request.path);
            next = next.call->read(answer);
        }
        EXPECT_FALSE(next.call.has_value()) << "nothing more is asked";
        return next;
    }
    std::vector<std::string> paths;
};

TEST(Calls, OfWhatIsNoSetReadTheObjectsThenThePodsWithItsLabel) {
    Caller caller{"me"};
    Talk talk;
    const Next end = talk.play(
        caller.begin(ReadWorkload{
            7, {&rollouts, "shop", "web"}, {{&rollouts, "shop", "web"}}, "sluice.dev/of=web"}),
        {rollout_text, pods_page("more"), pods_page("")});
    ASSERT_EQ(talk.paths.size(), 3u);
    EXPECT_THAT(talk.paths[1], HasSubstr("/api/v1/namespaces/shop/pods?"));
    EXPECT_THAT(talk.paths[1], HasSubstr("labelSelector=sluice.dev%2Fof%3Dweb"));
    EXPECT_THAT(talk.paths[2], HasSubstr("continue=more"));
    const auto& live = *std::get<WorkloadRead>(*end.input).answer;
    EXPECT_EQ(live.pods.size(), 2u) << "whoever owns them: that is for the reader to say";
    EXPECT_EQ(live.objects.size(), 1u);
    EXPECT_TRUE(live.set.meta.uid.empty());
}

TEST(Calls, ReadASetThenTheObjectsThenAllPagesOfItsPods) {
    Caller caller{"me"};
    Talk talk;
    const Next end = talk.play(caller.begin(ReadWorkload{7, web, {{&rollouts, "shop", "web"}}}),
                               {statefulset_text, rollout_text, pods_page("more"), pods_page("")});
    const auto& read = std::get<WorkloadRead>(end.input.value());
    EXPECT_EQ(read.ticket, 7u);
    ASSERT_TRUE(read.answer.has_value());
    EXPECT_EQ(read.answer->set.meta.key, web.key());
    EXPECT_EQ(read.answer->pods.size(), 2u);
    EXPECT_EQ(read.answer->objects.size(), 1u);
    EXPECT_THAT(talk.paths, ElementsAre(set_path, HasSubstr("phasedrollouts/web"),
                                        HasSubstr("pods?limit=500&labelSelector=app%3Dweb"),
                                        HasSubstr("&continue=more")));
}

TEST(Calls, AFailureAnywhereInAReadIsAFailureOfAllOfIt) {
    const std::vector<Answer> well{statefulset_text, rollout_text, pods_page("")};
    for (std::size_t bad = 0; bad < well.size(); ++bad) {
        for (const Answer& wrong : {refused(500), Answer{"{"}}) {
            std::vector<Answer> answers{well.begin(), well.begin() + static_cast<long>(bad)};
            answers.push_back(wrong);
            Caller caller{"me"};
            const Next end = Talk{}.play(
                caller.begin(ReadWorkload{7, web, {{&rollouts, "shop", "web"}}}), answers);
            const auto& read = std::get<WorkloadRead>(end.input.value());
            ASSERT_FALSE(read.answer.has_value()) << bad;
            EXPECT_EQ(read.answer.error().status, wrong ? 0 : 500);
            EXPECT_THAT(read.answer.error().message, HasSubstr("cannot "));
        }
    }
}

TEST(Calls, WhatIsNotThereIsLeftOutOfARead) {
    Caller caller{"me"};
    Talk talk;
    const Next end = talk.play(caller.begin(ReadWorkload{7, web, {{&rollouts, "shop", "web"}}}),
                               {refused(404), refused(404)});
    const auto& read = std::get<WorkloadRead>(end.input.value());
    ASSERT_TRUE(read.answer.has_value());
    EXPECT_EQ(read.answer->set.meta.uid, "");
    EXPECT_TRUE(read.answer->objects.empty());
    EXPECT_EQ(talk.paths.size(), 2u) << "no pods without a set";
}

TEST(Calls, ASetWithoutASelectorIsNotReadAtAll) {
    Caller caller{"me"};
    const Next end = Talk{}.play(caller.begin(ReadWorkload{7, web, {}}),
                                 {R"({"metadata":{"name":"web","uid":"u"}})"});
    EXPECT_FALSE(std::get<WorkloadRead>(end.input.value()).answer.has_value());
}

TEST(Calls, ASubjectThatRestsOnNothingIsKnownAtOnce) {
    Caller caller{"me"};
    const Next end = caller.begin(ReadWorkload{7, {&rollouts, "shop", "web"}, {}});
    EXPECT_FALSE(end.call.has_value());
    EXPECT_TRUE(std::get<WorkloadRead>(end.input.value()).answer.has_value());
}

TEST(Calls, AListNamesWhatItLeavesOutAndHandsAFailureToItsSession) {
    Caller caller{"me"};
    const StartList list{3, {&rollouts, "shop"}, {}};
    const Next page =
        Talk{}.play(caller.begin(list),
                    {R"({"metadata":{"resourceVersion":"9"},"items":[{},)" + rollout_text + "]}"});
    EXPECT_EQ(std::get<PageArrived>(page.input.value()).session, 3u);
    EXPECT_EQ(std::get<PageArrived>(page.input.value()).page.items.size(), 1u);
    EXPECT_THAT(page.warnings, ElementsAre(HasSubstr("left out of a list phasedrollouts")));
    const Next failed = Talk{}.play(caller.begin(list), {refused(410)});
    EXPECT_EQ(std::get<SessionFailed>(failed.input.value()).failure.status, 410);
    EXPECT_EQ(std::get<SessionFailed>(failed.input.value()).failure.retry_after, 2s);
}

TEST(Calls, AWriteNamesItsObjectAndItsPrecondition) {
    Caller caller{"me"};
    const auto request = [&](engine::Action action) {
        const Next next = caller.begin(Write{7, std::move(action)});
        const Request& one = next.call.value().request;
        return fmt::format("{} {} {} {}", one.method, one.path, one.content_type, one.body);
    };
    const model::Ref object{&rollouts, "shop", "web"};
    const std::string path = "/apis/sts.plus/v1alpha1/namespaces/shop/phasedrollouts";
    EXPECT_EQ(request({.object = {object, "u"}, .body = "[]"}),
              "PATCH " + path + "/web?fieldManager=sluice application/json-patch+json []");
    EXPECT_EQ(request({.object = {object, "u"}, .body = "[]", .of_status = true}),
              "PATCH " + path + "/web/status?fieldManager=sluice application/json-patch+json []");
    EXPECT_EQ(request({.verb = Verb::Create, .object = {object, ""}, .body = "{}"}),
              "POST " + path + " application/json {}");
    EXPECT_EQ(request(engine::deletion_of({object, "u"}, 12)),
              "DELETE " + path +
                  R"(/web application/json {"apiVersion":"v1","kind":"DeleteOptions",)"
                  R"("propagationPolicy":"Background",)"
                  R"("preconditions":{"uid":"u","resourceVersion":"12"}})");
}

TEST(Calls, AWriteIsAnsweredWithTheObjectUnlessItIsGone) {
    Caller caller{"me"};
    const auto written = [&](engine::Action action, Answer answer) {
        const Next end =
            Talk{}.play(caller.begin(Write{7, std::move(action)}), {std::move(answer)});
        return std::get<Written>(end.input.value()).answer;
    };
    const engine::Action patch{.object = {web, "u"}, .body = "[]"};
    EXPECT_TRUE(std::holds_alternative<model::StatefulSet>(
        written(patch, statefulset_text).value().value()));
    EXPECT_EQ(written(patch, "{}").error().status, 0) << "an answer that cannot be read is none";
    EXPECT_EQ(written(patch, refused(422)).error().status, 422);
    EXPECT_FALSE(written(engine::deletion_of({web, "u"}), statefulset_text).value().has_value());
}

TEST(Calls, WhatIsSaidOfASecretThatIsRefusedIsNotRepeatedButWhatIsSaidOfRights) {
    Caller caller{"me"};
    const auto said = [&](int status, const std::string& words) {
        engine::Action write{
            .verb = Verb::Create, .object = {{&model::secrets, "shop", "keys"}, ""}, .body = "{}"};
        const Next end = Talk{}.play(caller.begin(Write{7, std::move(write)}),
                                     {std::unexpected(runtime::RequestFailure{status, 2s, words})});
        const auto& failure = std::get<Written>(end.input.value()).answer.error();
        return failure.message + " / " + failure.said;
    };
    EXPECT_THAT(said(422, "Secret \"keys\" is invalid: data[key]: Invalid value: \"CANARY\""),
                AllOf(HasSubstr("422"), Not(HasSubstr("CANARY"))));
    EXPECT_THAT(said(403, "admission webhook denied the request: CANARY"),
                Not(HasSubstr("CANARY")));
    const std::string rights = "secrets is forbidden: User \"sluice\" cannot create resource";
    EXPECT_THAT(said(403, rights), HasSubstr(rights));
    EXPECT_THAT(said(0, "connection refused"), HasSubstr("connection refused"));
}

TEST(Calls, AnEventThatIsLostIsAWarningAndNoInput) {
    Caller caller{"me"};
    const controller::PostEvent event{{web, "u"}, engine::Reason::Adopted, "note", Instant{}};
    EXPECT_EQ(caller.begin(event).call->request.path,
              "/apis/events.k8s.io/v1/namespaces/shop/events");
    const Next lost = Talk{}.play(caller.begin(event), {refused(403)});
    EXPECT_FALSE(lost.input.has_value());
    EXPECT_THAT(lost.warnings, ElementsAre(HasSubstr("cannot post an event")));
    EXPECT_TRUE(Talk{}.play(caller.begin(event), {"{}"}).warnings.empty());
}

TEST(Watches, AreReadHoweverTheirBytesAreCut) {
    const std::string one_line = R"({"metadata":{"name":"web","uid":"u"}})";
    const std::string bytes = watch_line("ADDED", one_line) + "\n" + watch_line("MODIFIED", "{}") +
                              "\n" + watch_line("DELETED", one_line) + "\n";
    for (std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100}, bytes.size()}) {
        model::Decoder decoder;
        WatchReader reader{rollouts, decoder};
        std::vector<model::WatchEvent> events;
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            for (model::WatchEvent& one : reader.read(bytes.substr(at, piece)).value())
                events.push_back(std::move(one));
        ASSERT_EQ(events.size(), 3u) << piece;
        EXPECT_TRUE(std::holds_alternative<model::Changed>(events[0]));
        EXPECT_TRUE(std::holds_alternative<model::LeftOut>(events[1]));
        EXPECT_TRUE(std::holds_alternative<model::Deleted>(events[2]));
        EXPECT_EQ(warnings_of(events).size(), 1u);
    }
    model::Decoder decoder;
    WatchReader reader{rollouts, decoder};
    EXPECT_FALSE(reader.read(std::string(WatchReader::line_max + 1, 'x')).has_value());
}

TEST(Leases, AreMadeOnceAndThenReplacedInTheVersionThatWasRead) {
    const model::ObjectKey key{"sluice-system", "sluice"};
    const std::string path = "/apis/coordination.k8s.io/v1/namespaces/sluice-system/leases";
    model::Lease lease;
    EXPECT_EQ(write_lease(lease, key, Instant{}, Instant{}).method, "POST");
    EXPECT_EQ(write_lease(lease, key, Instant{}, Instant{}).path, path);
    lease.resource_version = "12";
    EXPECT_EQ(write_lease(lease, key, Instant{}, Instant{}).method, "PUT");
    EXPECT_EQ(write_lease(lease, key, Instant{}, Instant{}).path, path + "/sluice");
    EXPECT_EQ(read_lease(key).path, path + "/sluice");
}

}  // namespace
}  // namespace sluice::wire
