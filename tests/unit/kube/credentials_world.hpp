// Credentials read from files of the test's own, with a clock that only the test moves.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/base64.hpp"
#include "kube/material.hpp"
#include "kube/sourced_credentials.hpp"
#include "tests/unit/kube/temp_folder.hpp"
#include "tests/unit/net/certificates.hpp"

namespace sluice::kube::test {

inline const net::testing::Authority& authority() {
    static const net::testing::Authority one;
    return one;
}

class CredentialsWorld : public ::testing::Test {
  protected:
    // A kubeconfig of one context "c" whose user entry is `user`, in YAML flow style.
    std::string write_kubeconfig(const std::string& user,
                                 const std::string& cluster = "{server: 'https://h:6443'}") {
        return folder.write(
            "config",
            "current-context: c\n"
            "contexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}]\n"
            "clusters: [{name: k, cluster: " +
                cluster + "}]\nusers: [{name: u, user: " + user + "}]\n");
    }

    Result<std::shared_ptr<Credentials>> try_open(Gather gather) {
        return SourcedCredentials::open(loop, std::move(gather), [this] { return now; });
    }
    Result<std::shared_ptr<Credentials>> try_open() {
        return try_open(gather_from_kubeconfig({folder.path("config")}, ""));
    }
    void open() { open(gather_from_kubeconfig({folder.path("config")}, "")); }
    void open(Gather gather) {
        auto opened = try_open(std::move(gather));
        ASSERT_TRUE(opened.has_value()) << opened.error().message;
        credentials = *std::move(opened);
    }

    Result<Access> access() {
        std::optional<Result<Access>> answer;
        credentials->access([&](Result<Access> got) { answer = std::move(got); });
        loop.restart();
        while (!answer && loop.run_one() != 0) {
        }
        EXPECT_TRUE(answer.has_value()) << "access() never answered";
        return answer ? *answer : failure(ErrorKind::Timeout, "the test gave up");
    }
    std::string authorization() {
        const Result<Access> got = access();
        return got ? std::string(got->authorization.reveal()) : "error: " + got.error().message;
    }
    std::string complaint() {
        const Result<Access> got = access();
        return got ? "no complaint" : got.error().message;
    }
    // What stands before the path of a field of the user.
    std::string at_user(const std::string& field) const {
        return "kubeconfig " + folder.path("config") + ": users[name=u].user." + field;
    }

    TempFolder folder;
    boost::asio::io_context loop;
    Instant now{1'800'000'000'000};
    std::shared_ptr<Credentials> credentials;
};

}  // namespace sluice::kube::test
