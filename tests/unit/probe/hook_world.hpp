// An API server with pods and Secrets, a hook behind the same port, and an Inquirer between them.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "api/hooks/hook.hpp"
#include "base/base64.hpp"
#include "probe/inquirer.hpp"
#include "tests/unit/net/scripted_server.hpp"

namespace sluice::probe::test {

using api::hooks::ExternalHook;
using api::hooks::HookCatalogue;
using api::hooks::HookPod;
using api::hooks::HookVerdict;
using api::hooks::Transition;

// A value that no message may ever hold.
inline const std::string canary = "canary-5f1d";

struct Seen {
    std::string method;
    std::string target;
    std::string body;
    std::map<std::string, std::string> headers;  // names in lower case
};

struct Reply {
    int status = 200;
    std::string body{};
    std::string location{};
    bool silent = false;  // the connection stays open and nothing comes
};

using Handler = std::function<Reply(const Seen&)>;

inline Seen to_seen(const net::testing::Received& received) {
    std::istringstream lines(received.head);
    Seen seen;
    seen.body = received.body;
    std::string line;
    std::getline(lines, line);
    std::istringstream(line) >> seen.method >> seen.target;
    while (std::getline(lines, line) && line.contains(": ")) {
        const auto colon = line.find(": ");
        std::string name = line.substr(0, colon);
        for (char& c : name)
            c = static_cast<char>(std::tolower(c));
        seen.headers[name] = line.substr(colon + 2, line.size() - colon - 3);  // without the CR
    }
    return seen;
}

// A script that answers with what `handler` says.
inline net::testing::ScriptedServer::Script obeying(Handler handler) {
    return [handler = std::move(handler)](const auto& session, const auto& received) {
        const Reply reply = handler(to_seen(received));
        if (reply.silent) return;
        const std::string location =
            reply.location.empty() ? "" : "Location: " + reply.location + "\r\n";
        session->send(
            net::testing::answer(reply.body, std::to_string(reply.status) + " x", location));
    };
}

class FixedCredentials : public kube::Credentials {
  public:
    explicit FixedCredentials(std::string server) : server_(std::move(server)) {}
    void access(Got got) override {
        kube::Access access;
        access.server = server_;
        got(access);
    }
    void refused() override {}
    std::string default_namespace() const override { return "shop"; }

  private:
    std::string server_;
};

inline std::string pod_json(const std::string& name, const std::string& uid) {
    return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","uid":")" + uid +
           R"(","managedFields":[{"manager":"kubelet"}]},"status":{"podIP":"127.0.0.1"}})";
}

inline std::string secret_json(const std::map<std::string, std::string>& texts) {
    std::string data;
    for (const auto& [key, text] : texts) {
        data += (data.empty() ? "\"" : ",\"") + key + "\":\"" + encode_base64(text) + "\"";
    }
    return R"({"kind":"Secret","metadata":{"annotations":{"sluice.dev/allowed-hosts":)"
           R"("http://127.0.0.1, 127.0.0.1"}},"data":{)" +
           data + "}}";
}

inline HookPod expected_pod(const std::string& name) {
    return {name, name + "-uid", "", ""};
}

inline Transition transition(const std::string& hook, std::optional<HookPod> prev,
                             std::optional<HookPod> next) {
    return {hook, "shop", "web", {}, std::move(prev), std::move(next), "key-1"};
}

class HookWorld : public testing::Test {
  protected:
    HookWorld() {
        for (const std::string name : {"web-0", "web-1", "web-2"}) {
            objects["/api/v1/namespaces/shop/pods/" + name] = {200, pod_json(name, name + "-uid")};
        }
    }

    Reply answer(const Seen& request) {
        if (request.target.starts_with("/api/")) {
            const auto found = objects.find(request.target);
            const Reply missing{404, R"({"kind":"Status","message":"not found"})"};
            return found == objects.end() ? missing : found->second;
        }
        asked.push_back(request);
        return hook(request);
    }

    void put_secret(const std::string& name, Reply reply) {
        objects["/api/v1/namespaces/shop/secrets/" + name] = std::move(reply);
    }

    void open(bool allow_local_hooks = true, api::InquiryBounds bounds = {}) {
        caller = std::make_unique<Inquirer>(loop, api, plugins, "hook", allow_local_hooks, bounds);
    }

    std::shared_ptr<const HookCatalogue> declared(ExternalHook external) const {
        HookCatalogue catalogue;
        catalogue.external.emplace("backup", std::move(external));
        return std::make_shared<const HookCatalogue>(std::move(catalogue));
    }
    std::shared_ptr<const HookCatalogue> plain() const {
        return declared({server.url("/ask"), 10s, "", ""});
    }

    Inquirer::CallId call(std::shared_ptr<const HookCatalogue> catalogue, Transition asking,
                          std::function<void(const HookVerdict&)> done) {
        const auto question =
            engine::question_of(api::hooks::HookCall{std::move(asking), std::move(catalogue)});
        return caller->begin(api::hooks::inquire(*question, {}).value(),
                             [done = std::move(done)](const api::Said& said) {
                                 done(*engine::opened<HookVerdict>(*said));
                             });
    }
    Inquirer::CallId begin(std::shared_ptr<const HookCatalogue> catalogue, Transition asking) {
        return call(std::move(catalogue), std::move(asking),
                    [this](const HookVerdict& verdict) { verdicts.push_back(verdict); });
    }

    // Lets the world turn until so many verdicts came.
    void await_verdicts(std::size_t count) {
        while (verdicts.size() < count) {
            ASSERT_NE(loop.run_one_for(60s), 0u) << "the world stands still";
        }
    }

    HookVerdict ask(std::shared_ptr<const HookCatalogue> catalogue, Transition asking) {
        if (!caller) open();
        verdicts.clear();
        begin(std::move(catalogue), std::move(asking));
        await_verdicts(1);
        const HookVerdict verdict = verdicts.empty() ? HookVerdict{} : verdicts.front();
        EXPECT_EQ(verdict.message.find(canary), std::string::npos) << verdict.message;
        return verdict;
    }

    std::string refusal(std::shared_ptr<const HookCatalogue> catalogue, Transition asking) {
        const HookVerdict verdict = ask(std::move(catalogue), std::move(asking));
        EXPECT_FALSE(verdict.allowed);
        return verdict.message;
    }

    Transition first() const { return transition("backup", std::nullopt, expected_pod("web-2")); }

    // Where nobody listens.
    std::string closed_url() { return net::testing::ScriptedServer(loop, obeying(hook)).url(); }

    boost::asio::io_context loop;
    std::map<std::string, Reply> objects;  // of the API server, by path
    Handler hook = [](const Seen&) { return Reply{204}; };
    std::vector<Seen> asked;  // of the hook
    std::vector<HookVerdict> verdicts;
    net::testing::ScriptedServer server{
        loop, obeying([this](const Seen& request) { return answer(request); })};
    kube::ApiClient api{loop, std::make_shared<FixedCredentials>(server.url("")), 4};
    PluginCaller plugins{loop, [](auto, const std::string&) {}};
    std::unique_ptr<Inquirer> caller;
};

}  // namespace sluice::probe::test
