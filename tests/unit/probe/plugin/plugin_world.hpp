// A loop, a PluginCaller on it, a folder for sockets and programs, and ways to wait.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "probe/plugin/plugin_caller.hpp"
#include "sluice_plugin.pb.h"
#include "tests/unit/net/certificates.hpp"
#include "tests/unit/net/h2_server.hpp"

namespace sluice::probe::testing {

namespace asio = boost::asio;
using namespace api;
using net::testing::Authority;
using net::testing::H2Headers;
using net::testing::H2Request;
using net::testing::H2Server;
using net::testing::H2Session;
using net::testing::Pem;

class PluginWorld : public ::testing::Test {
  protected:
    PluginWorld() {
        char name[] = "/tmp/sluice-plugins-XXXXXX";
        folder = ::mkdtemp(name);
    }
    ~PluginWorld() override {
        caller.reset();
        std::filesystem::remove_all(folder);
    }

    void open_caller(PluginBounds bounds = {}) {
        caller = std::make_unique<PluginCaller>(
            loop, [this](controller::Log::Level, const std::string& text) { log.push_back(text); },
            bounds);
    }

    // A test that waits for what never comes fails after a minute.
    void run_until(const std::function<bool()>& reached) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!reached()) {
            loop.run_one_for(std::chrono::milliseconds(100));
            if (std::chrono::steady_clock::now() > end) FAIL() << "it never comes";
        }
    }

    Result<PluginAnswer> ask(PluginCall call) {
        if (!caller) open_caller();
        std::optional<Result<PluginAnswer>> result;
        caller->ask(std::move(call), [&](Result<PluginAnswer> got) {
            EXPECT_FALSE(result) << "done was called twice";
            result = std::move(got);
        });
        EXPECT_FALSE(result) << "done was called from inside ask()";
        run_until([&] { return result.has_value(); });
        return result ? *result : failure(ErrorKind::Timeout, "the test gave up");
    }

    std::string write(const std::string& name, const std::string& text, mode_t mode = 0644) {
        const std::string path = folder + "/" + name;
        std::ofstream(path) << text;
        ::chmod(path.c_str(), mode);
        return path;
    }

    asio::io_context loop;
    asio::executor_work_guard<asio::io_context::executor_type> work{loop.get_executor()};
    std::string folder;
    std::vector<std::string> log;
    std::unique_ptr<PluginCaller> caller;
};

inline std::string sentence_of(const Result<PluginAnswer>& result) {
    EXPECT_FALSE(result.has_value()) << "expected a failure";
    return result ? "" : result.error().message;
}

// A well-behaved server's answer with this message.
inline H2Session::Script grpc_answer(const std::string& message,
                                     const H2Headers& trailers = {{"grpc-status", "0"}}) {
    return net::testing::h2_answer(to_grpc_frame(message), {{"content-type", "application/grpc"}},
                                   trailers);
}

// An answer that is nothing but an error.
inline H2Session::Script grpc_error(const std::string& status, const std::string& message = "") {
    return [=](const std::shared_ptr<H2Session>& session, const H2Request& request) {
        H2Headers headers{
            {":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", status}};
        if (!message.empty()) headers.emplace_back("grpc-message", message);
        session->headers(request.stream, headers, true);
    };
}

inline std::string verified() {
    ::sluice::plugin::v1::VerifyWeightResponse yes;
    yes.set_verified(true);
    yes.set_message("all of it");
    return yes.SerializeAsString();
}

}  // namespace sluice::probe::testing
