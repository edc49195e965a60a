// An API client, credentials that the test hands out, and a server that the test scripts.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

namespace sluice::kube::test {

// Gives the tokens one after the other, the next one after each refusal; the last one stays.
class TokenRow final : public Credentials {
  public:
    TokenRow(std::string server, std::deque<std::string> tokens)
        : server_(std::move(server)), tokens_(std::move(tokens)) {}

    void access(Got got) override {
        if (is_silent) {
            unanswered.push_back(std::move(got));
        } else if (fault && refusals > 0) {
            got(std::unexpected(*fault));
        } else {
            got(Access{server_, "", tls_, Redacted("Bearer " + tokens_.front())});
        }
    }
    void refused() override {
        ++refusals;
        if (tokens_.size() > 1) tokens_.pop_front();
    }
    std::string default_namespace() const override { return "default"; }

    int refusals = 0;
    bool is_silent = false;
    std::optional<Error> fault;  // instead of access, after the first refusal
    std::vector<Got> unanswered;

  private:
    std::string server_;
    std::deque<std::string> tokens_;
    std::shared_ptr<const net::Tls> tls_ = std::make_shared<net::Tls>();
};

class ApiWorld : public ::testing::Test {
  protected:
    using Answer = ApiResult<ApiResponse>;
    using Session = net::testing::Session;
    using Received = net::testing::Received;

    void serve(net::testing::ScriptedServer::Script script,
               std::deque<std::string> tokens = {"canary-token"}) {
        server.emplace(loop, std::move(script));
        connect(server->url(""), std::move(tokens));
    }
    void connect(const std::string& url, std::deque<std::string> tokens = {"canary-token"}) {
        credentials = std::make_shared<TokenRow>(url, std::move(tokens));
        client = std::make_unique<ApiClient>(loop, credentials, 4);
    }

    void run_until(const std::function<bool()>& reached) {
        while (!reached()) {
            if (loop.run_one_for(std::chrono::minutes(1)) == 0)
                FAIL() << "nothing happens any more";
        }
    }

    // The answer to one request; checks that it comes once and not from inside send().
    Answer ask(ApiRequest request) {
        std::optional<Answer> answer;
        client->send(std::move(request), [&](Answer got) {
            EXPECT_FALSE(answer.has_value()) << "done was called twice";
            answer = std::move(got);
        });
        EXPECT_FALSE(answer.has_value()) << "done was called from inside send()";
        run_until([&] { return answer.has_value(); });
        return answer ? *answer : std::unexpected(ApiError{{ErrorKind::Timeout, "gave up"}});
    }
    ApiError fail_to(ApiRequest request) {
        const Answer answer = ask(std::move(request));
        EXPECT_FALSE(answer.has_value()) << "expected a failure";
        return answer ? ApiError{{ErrorKind::Timeout, "it worked"}} : answer.error();
    }

    boost::asio::io_context loop;
    std::optional<net::testing::ScriptedServer> server;
    std::shared_ptr<TokenRow> credentials;
    std::unique_ptr<ApiClient> client;
};

inline std::string status_body(const std::string& message, const std::string& reason) {
    return R"({"kind":"Status","apiVersion":"v1","message":")" + message + R"(","reason":")" +
           reason + R"("})";
}

// Answers 200 to one token and 401 to every other.
inline net::testing::ScriptedServer::Script only(const std::string& token) {
    return [token](const std::shared_ptr<net::testing::Session>& session,
                   const net::testing::Received& request) {
        const bool is_known = request.head.contains("Bearer " + token + "\r\n");
        session->send(is_known ? net::testing::answer("welcome")
                               : net::testing::answer(status_body("Unauthorized", "Unauthorized"),
                                                      "401 Unauthorized"));
    };
}

}  // namespace sluice::kube::test
