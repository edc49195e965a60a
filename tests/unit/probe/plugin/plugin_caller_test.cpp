// What becomes of a question to a plugin that listens somewhere: one answer or one sentence,
// whatever the other side does.
#include "tests/unit/probe/plugin/plugin_world.hpp"

namespace sluice::probe::testing {
namespace {

using net::testing::h2_answer;
using ::testing::HasSubstr;

class PluginCallerTest : public PluginWorld {
  protected:
    PluginCall call(const std::string& address, PluginMethod method = PluginMethod::VerifyWeight) {
        return {.plugin = "queue",
                .address = PluginEndpoint{address},
                .method = method,
                .api_version = "apps/v1",
                .kind = "Deployment",
                .name = "web",
                .ns = "shop",
                .weight = 20,
                .config = "{}"};
    }
    Result<PluginAnswer> answer_of(const H2Session::Script& script,
                                   PluginMethod method = PluginMethod::VerifyWeight,
                                   Duration timeout = 10s) {
        H2Server server(loop, script);
        PluginCall asked = call(server.address(), method);
        asked.timeout = timeout;
        return ask(asked);
    }
};

TEST_F(PluginCallerTest, AnAnswerComesBack) {
    const auto got = answer_of(grpc_answer(verified()));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, (PluginAnswer{.verified = true, .message = "all of it"}));
}

TEST_F(PluginCallerTest, TheRequestCarriesTheWorkloadTheWeightAndTheConfig) {
    H2Server server(loop, grpc_answer(""));
    ASSERT_TRUE(ask(call(server.address(), PluginMethod::SetWeight)));
    ::sluice::plugin::v1::SetWeightRequest seen;
    ASSERT_TRUE(seen.ParseFromString(server.received.at(0).body.substr(5)));
    EXPECT_EQ(seen.workload().api_version() + seen.workload().kind(), "apps/v1Deployment");
    EXPECT_EQ(seen.workload().name() + seen.workload().namespace_(), "webshop");
    EXPECT_EQ(seen.weight(), 20);
    EXPECT_EQ(seen.config(), "{}");
}

TEST_F(PluginCallerTest, EveryMethodIsAnswered) {
    ::sluice::plugin::v1::ResourceStatus status;
    status.set_replicas(5);
    status.set_updated_replicas(2);
    status.set_ready_replicas(4);
    status.set_available_replicas(3);
    status.set_current_revision("v1");
    status.set_updated_revision("v2");
    status.set_ready(true);
    const auto got =
        answer_of(grpc_answer(status.SerializeAsString()), PluginMethod::GetResourceStatus);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->status, (ResourceStatus{5, 2, 4, 3, "v1", "v2", true}));
    for (const auto method : {PluginMethod::Init, PluginMethod::SetWeight, PluginMethod::Promote,
                              PluginMethod::Abort, PluginMethod::Restart})
        EXPECT_EQ(answer_of(grpc_answer(""), method), PluginAnswer{});
}

TEST_F(PluginCallerTest, AnErrorOfThePluginIsASentence) {
    const auto got = answer_of(grpc_error("5", "no queue %22a%22 %e2%82%ac%0A100%"));
    EXPECT_EQ(sentence_of(got),
              "plugin \"queue\" answered NOT_FOUND: no queue \"a\" \xe2\x82\xac 100%");
    EXPECT_EQ(got.error().kind, ErrorKind::NotFound);
    EXPECT_EQ(sentence_of(answer_of(grpc_error("12"))), "plugin \"queue\" answered UNIMPLEMENTED");
    EXPECT_LT(sentence_of(answer_of(grpc_error("2", std::string(5000, 'x')))).size(), 400u);
}

TEST_F(PluginCallerTest, AnErrorBesideAMessageIsAnError) {
    EXPECT_FALSE(answer_of(grpc_answer(verified(), {{"grpc-status", "13"}})));
}

TEST_F(PluginCallerTest, OnlyAWholeAnswerInGrpcIsAnAnswer) {
    const H2Headers grpc{{"content-type", "application/grpc"}};
    const H2Headers ok{{"grpc-status", "0"}};
    const std::string frame = to_grpc_frame(verified());
    const auto with_status = [&](const std::string& status) {
        return [=](const std::shared_ptr<H2Session>& session, const H2Request& request) {
            session->headers(request.stream, {{":status", status}, grpc[0]}, false);
            session->data(request.stream, frame, false);
            session->headers(request.stream, ok, true);
        };
    };
    for (const auto& [script, sentence] : std::vector<std::pair<H2Session::Script, std::string>>{
             {h2_answer(frame, grpc, {}), "ended its answer without a status"},
             {h2_answer(frame, grpc, {{"x", "y"}}), "ended its answer without a status"},
             {h2_answer(frame, {{"content-type", "text/html"}}, ok), "answered with \"text/html\""},
             {h2_answer(frame, {{"content-type", "application/grpc-web"}}, ok), "is not gRPC"},
             {h2_answer(frame, {}, ok), "which is not gRPC"},
             {with_status("500"), "HTTP status 500"},
             {with_status("302"), "HTTP status 302"},
             {h2_answer(frame, grpc, {{"grpc-status", "77"}}),
              "answered with \"77\", which is not"},
             {h2_answer(frame, grpc, {{"grpc-status", "-1"}}), "is not a status of gRPC"},
             {h2_answer(frame, grpc, {{"grpc-status", "00"}}), "is not a status of gRPC"},
             {h2_answer(frame, grpc, {{"grpc-status", ""}}), "is not a status of gRPC"},
             {h2_answer(frame, grpc, {{"grpc-status", "0 0"}}), "is not a status of gRPC"},
             {h2_answer(frame, grpc, {{"grpc-status", "0"}, {"grpc-status", "9"}}),
              "FAILED_PRECONDITION"},
             {h2_answer("", grpc, ok), "sent no message"},
             {grpc_error("0"), "sent no message"},
             {h2_answer("abc", grpc, ok), "sent less than a message"},
             {h2_answer(frame + "x", grpc, ok), "more or less than the one message"},
             {h2_answer(frame + frame, grpc, ok), "more or less than the one message"},
             {h2_answer(frame.substr(0, frame.size() - 1), grpc, ok), "more or less than"},
             {h2_answer("\x01" + frame.substr(1), grpc, ok), "sent a compressed message"},
             {grpc_answer("\xff\xff\xff"), "cannot be read"}}) {
        const auto got = answer_of(script);
        EXPECT_THAT(sentence_of(got), HasSubstr(sentence));
        EXPECT_THAT(sentence_of(got), ::testing::StartsWith("plugin \"queue\""));
    }
}

TEST_F(PluginCallerTest, AStatusThatCannotBeTrueIsRefused) {
    using Status = ::sluice::plugin::v1::ResourceStatus;
    for (const auto& spoil : std::vector<std::function<void(Status&)>>{
             [](Status& status) { status.set_replicas(-1); },
             [](Status& status) { status.set_available_replicas(-7); },
             [](Status& status) { status.clear_current_revision(); },
             [](Status& status) { status.clear_updated_revision(); },
             [](Status& status) { status.set_updated_revision("a\nb"); },
             [](Status& status) { status.set_updated_revision(std::string(254, 'a')); }}) {
        Status status;
        status.set_current_revision("v1");
        status.set_updated_revision("v2");
        EXPECT_TRUE(
            answer_of(grpc_answer(status.SerializeAsString()), PluginMethod::GetResourceStatus));
        spoil(status);
        EXPECT_THAT(sentence_of(answer_of(grpc_answer(status.SerializeAsString()),
                                          PluginMethod::GetResourceStatus)),
                    HasSubstr("sent a status"));
    }
}

TEST_F(PluginCallerTest, AnEmptyAnswerIsNotVerified) {
    EXPECT_EQ(answer_of(grpc_answer("")), PluginAnswer{.verified = false});
}

TEST_F(PluginCallerTest, WhatAPluginSaysIsOnePrintableLine) {
    ::sluice::plugin::v1::VerifyWeightResponse no;
    no.set_message("2 of 5\n\x1b[31mred " + std::string(1000, 'x'));
    const auto got = answer_of(grpc_answer(no.SerializeAsString()));
    ASSERT_TRUE(got);
    EXPECT_LE(got->message.size(), 256u);
    EXPECT_FALSE(got->message.contains('\n') || got->message.contains('\x1b'));
}

TEST_F(PluginCallerTest, AHugeAnswerIsRefused) {
    EXPECT_THAT(sentence_of(answer_of(grpc_answer(std::string(70 << 10, 'x')))),
                HasSubstr("is larger than"));
}

TEST_F(PluginCallerTest, AnAnswerThatNeverComesIsATimeout) {
    const auto got = answer_of([](const auto&, const auto&) {}, PluginMethod::Init, 200ms);
    EXPECT_EQ(got.error().kind, ErrorKind::Timeout);
    EXPECT_THAT(sentence_of(got), HasSubstr("plugin \"queue\": no answer from 127.0.0.1:"));
}

TEST_F(PluginCallerTest, AConnectionThatBreaksIsASentence) {
    EXPECT_FALSE(answer_of([](const auto& session, const auto&) { session->close(); }));
    EXPECT_FALSE(answer_of([](const auto& session, const auto& request) {
        session->reset_stream(request.stream, 8);
    }));
    EXPECT_FALSE(answer_of([](const auto& session, const auto&) { session->raw("garbage....."); }));
}

TEST_F(PluginCallerTest, NobodyThereIsASentence) {
    EXPECT_EQ(sentence_of(ask(call("unix://" + folder + "/none"))),
              "plugin \"queue\": cannot reach " + folder + "/none: no such file or directory");
}

TEST_F(PluginCallerTest, APluginListensOnAUnixSocket) {
    H2Server server(loop, grpc_answer(verified()), nullptr, folder + "/s");
    const auto got = ask(call("unix://" + folder + "/s"));
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_TRUE(got->verified);
}

TEST_F(PluginCallerTest, WithoutTlsNoOtherMachineIsSpokenTo) {
    const auto got = ask(call("10.11.12.13:7000"));
    EXPECT_EQ(got.error().kind, ErrorKind::Refused);
    EXPECT_THAT(sentence_of(got), HasSubstr("not a loopback address, which must not be contacted"));
}

class PluginCallerTls : public PluginCallerTest {
  protected:
    PluginCallerTls() {
        const Pem pem = authority.issue("plugin", "IP:127.0.0.1");
        context.use_certificate_chain(asio::buffer(pem.cert));
        context.use_private_key(asio::buffer(pem.key), asio::ssl::context::pem);
        const std::string ca = authority.pem();
        context.add_certificate_authority(asio::buffer(ca));
        context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    }
    PluginCall secure_call(const H2Server& server, const PluginTls& tls) {
        PluginCall asked = call(server.address());
        asked.address = PluginEndpoint{server.address(), tls};
        return asked;
    }
    PluginTls identity() {
        const Pem pem = authority.issue("operator", "");
        return {write("ca", authority.pem()), write("cert", pem.cert), write("key", pem.key)};
    }

    Authority authority;
    asio::ssl::context context{asio::ssl::context::tls_server};
};

TEST_F(PluginCallerTls, BothSidesShowWhoTheyAre) {
    H2Server server(loop, grpc_answer(verified()), &context);
    const PluginTls tls = identity();
    for (int i = 0; i < 3; ++i) {
        const auto got = ask(secure_call(server, tls));
        ASSERT_TRUE(got) << got.error().message;
    }
    EXPECT_EQ(server.connections(), 1) << "the connection is used again";
}

TEST_F(PluginCallerTls, AnotherAuthorityIsNotTrusted) {
    H2Server server(loop, grpc_answer(verified()), &context);
    PluginTls tls = identity();
    tls.ca_file = write("other", Authority("other").pem());
    EXPECT_THAT(sentence_of(ask(secure_call(server, tls))), HasSubstr("was not accepted"));
    EXPECT_THAT(sentence_of(ask(secure_call(server, PluginTls{}))), HasSubstr("was not accepted"));
    EXPECT_TRUE(server.received.empty());
}

TEST_F(PluginCallerTls, WithoutAClientCertificateThePluginMayRefuse) {
    H2Server server(loop, grpc_answer(verified()), &context);
    PluginTls tls = identity();
    tls.cert_file = tls.key_file = "";
    EXPECT_FALSE(ask(secure_call(server, tls)));
    EXPECT_TRUE(server.received.empty());
}

TEST_F(PluginCallerTls, AMissingFileIsNamed) {
    H2Server server(loop, grpc_answer(verified()), &context);
    PluginTls tls = identity();
    tls.ca_file = folder + "/gone";
    EXPECT_EQ(
        sentence_of(ask(secure_call(server, tls))),
        "plugin \"queue\": caFile " + folder + "/gone cannot be read: No such file or directory");
    tls.ca_file = write("garbage", "not a certificate");
    EXPECT_THAT(sentence_of(ask(secure_call(server, tls))), HasSubstr("cannot be read"));
}

class PluginCallerQueue : public PluginCallerTest {
  protected:
    void begin(const PluginCall& asked) {
        caller->ask(asked, [this](Result<PluginAnswer> got) { results.push_back(std::move(got)); });
    }
    std::vector<Result<PluginAnswer>> results;
};

TEST_F(PluginCallerQueue, APluginThatHangsHoldsUpNobodyElse) {
    open_caller({.in_flight_max = 2, .waiting_max = 100});
    H2Server hung(loop, [](const auto&, const auto&) {});
    for (int i = 0; i < 50; ++i) {
        PluginCall asked = call(hung.address());
        asked.plugin = "hung";
        begin(asked);
    }
    EXPECT_TRUE(answer_of(grpc_answer(verified())));
    EXPECT_TRUE(results.empty());
    EXPECT_EQ(hung.connections(), 2);
    EXPECT_EQ(caller->in_flight(), 50u);
}

TEST_F(PluginCallerQueue, WhatDoesNotFitIsRefusedAtOnce) {
    open_caller({.in_flight_max = 2, .waiting_max = 3});
    H2Server hung(loop, [](const auto&, const auto&) {});
    for (int i = 0; i < 6; ++i)
        begin(call(hung.address()));
    run_until([&] { return !results.empty(); });
    EXPECT_EQ(results.size(), 1u);
    EXPECT_THAT(sentence_of(results[0]), HasSubstr("too many calls wait for plugin \"queue\""));
    EXPECT_EQ(results[0].error().kind, ErrorKind::Throttled);
}

TEST_F(PluginCallerQueue, WhatWaitsIsAskedWhenThereIsAPlace) {
    open_caller({.in_flight_max = 2});
    H2Server server(loop, grpc_answer(verified()));
    for (int i = 0; i < 20; ++i)
        begin(call(server.address()));
    run_until([&] { return results.size() == 20; });
    for (const auto& result : results)
        EXPECT_TRUE(result);
    EXPECT_EQ(caller->in_flight(), 0u);
}

TEST_F(PluginCallerQueue, ACancelledQuestionIsNeverAnswered) {
    open_caller();
    H2Server server(loop, grpc_answer(verified()));
    const auto never = [](const auto&) { FAIL() << "it was cancelled"; };
    caller->cancel(caller->ask(call(server.address()), never));
    const auto sent = caller->ask(call(server.address()), never);
    run_until([&] { return !server.received.empty(); });
    caller->cancel(sent);
    caller->cancel(sent);
    caller->cancel(12345);
    EXPECT_EQ(caller->in_flight(), 0u);
    EXPECT_TRUE(ask(call(server.address())));
}

TEST_F(PluginCallerQueue, WhoeverIsAnsweredMayDestroyTheCaller) {
    open_caller();
    H2Server server(loop, grpc_answer(verified()));
    bool answered = false;
    caller->ask(call(server.address()), [&](const auto&) {
        caller.reset();
        answered = true;
    });
    caller->ask(call(server.address()), [&](const auto&) {
        caller.reset();
        answered = true;
    });
    run_until([&] { return answered; });
    loop.poll();
}

}  // namespace
}  // namespace sluice::probe::testing
