// A loop, a client on it, and ways to wait for what they do.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

namespace sluice::net::testing {

class ClientWorld : public ::testing::Test {
  protected:
    // Runs the loop until `reached`; a test that waits for what never comes fails after a minute.
    void run_until(const std::function<bool()>& reached) {
        while (!reached()) {
            if (loop.run_one_for(std::chrono::minutes(1)) == 0)
                FAIL() << "nothing happens any more";
        }
    }

    // Runs what is ready, then what that made ready, and so on.
    void settle() {
        for (int quiet = 0; quiet < 5;) {
            quiet = loop.run_one_for(std::chrono::milliseconds(10)) == 0 ? quiet + 1 : 0;
        }
    }

    Result<HttpResponse> fetch(HttpRequest request) {
        std::optional<Result<HttpResponse>> result;
        client->start(std::move(request), [&](Result<HttpResponse> got) {
            EXPECT_FALSE(result) << "done was called twice";
            result = std::move(got);
        });
        EXPECT_FALSE(result) << "done was called from inside start()";
        run_until([&] { return result.has_value(); });
        return result ? *result : failure(ErrorKind::Timeout, "the test gave up");
    }

    Result<HttpResponse> fetch(const std::string& url) { return fetch(HttpRequest{.url = url}); }

    boost::asio::io_context loop;
    std::unique_ptr<HttpClient> client = std::make_unique<HttpClient>(loop, 4);
};

inline ErrorKind kind_of(const Result<HttpResponse>& result) {
    EXPECT_FALSE(result.has_value()) << "expected a failure";
    return result ? ErrorKind{} : result.error().kind;
}

inline std::string message_of(const Result<HttpResponse>& result) {
    EXPECT_FALSE(result.has_value()) << "expected a failure";
    return result ? "" : result.error().message;
}

}  // namespace sluice::net::testing
