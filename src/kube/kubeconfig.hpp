// Kubeconfig texts, merged as kubectl merges them, and the one context of them that we use. Only
// that context, its cluster and its user are judged: a file may hold others that we could not use.
// Refuses auth-provider, impersonation, interactive plugins and everything that is set twice in
// two ways. Every error is a sentence that names the file, the field and what to do.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::kube {

inline constexpr std::size_t kubeconfig_bytes_max = 1 << 20;

struct KubeconfigText {
    std::string path;  // relative file references start at its folder
    Redacted text;
};

// PEM bytes that stand in the kubeconfig or in a file; neither, if both are empty.
struct PemSource {
    std::string where;  // "kubeconfig /x/y: users[name=a].user.client-key", for sentences
    std::string file;
    Redacted data;
    bool empty() const { return file.empty() && data.empty(); }
};

struct ClusterEntry {
    std::string where;
    std::string server;  // "https://host:port/prefix", no trailing slash
    std::string proxy;   // as a URL; may hold a password
    std::string server_name;
    bool verify = true;
    PemSource authority;
    boost::json::value exec_settings;  // the extension that exec plugins may ask for
};

enum class ExecVersion { V1, V1beta1 };

struct ExecPlugin {
    std::string where;
    std::string command;
    std::vector<std::string> args;
    std::vector<std::pair<std::string, Redacted>> env;
    ExecVersion version = ExecVersion::V1;
    std::string install_hint;
    bool wants_cluster = false;
};

struct UserEntry {
    std::string where;
    PemSource client_cert;
    PemSource client_key;
    Redacted token;
    std::string token_file;
    std::string username;
    Redacted password;
    std::optional<ExecPlugin> exec;  // none if a token, a password or a certificate goes first
};

// The context that was asked for, with all that it refers to.
struct KubeconfigTarget {
    std::string context;
    std::string ns;  // empty: the context names none
    ClusterEntry cluster;
    UserEntry user;
};

// The first file that has an entry of a name, or a current-context, wins; later ones of the same
// name are ignored whole. An empty `context` means current-context.
Result<KubeconfigTarget> read_kubeconfig(const std::vector<KubeconfigText>& files,
                                         const std::string& context);

}  // namespace sluice::kube
