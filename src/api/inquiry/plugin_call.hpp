// One call of a plugin outside the operator, where it is found, and what it answers. Values only;
// src/probe/plugin makes the call. A failure on the way is an Error, never an answer that looks
// like one: `verified` is true only where a plugin said so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::api {

enum class PluginMethod : std::uint8_t {
    Init,
    GetResourceStatus,
    SetWeight,
    VerifyWeight,
    Promote,
    Abort,
    Restart,
};

struct ResourceStatus {
    int replicas = 0;
    int updated_replicas = 0;
    int ready_replicas = 0;
    int available_replicas = 0;
    std::string current_revision;
    std::string updated_revision;
    bool ready = false;
    friend bool operator==(const ResourceStatus&, const ResourceStatus&) = default;
};

// Names of PEM files; they are read anew for each call, so that rotated ones are noticed.
struct PluginTls {
    std::string ca_file{};    // empty: the system's trust store
    std::string cert_file{};  // with key_file, or both empty
    std::string key_file{};
    friend bool operator==(const PluginTls&, const PluginTls&) = default;
};

// A plugin that runs by itself.
struct PluginEndpoint {
    std::string address;             // "unix:///path" or "host:port"
    std::optional<PluginTls> tls{};  // none: a unix socket, or a port of a loopback address
    friend bool operator==(const PluginEndpoint&, const PluginEndpoint&) = default;
};

// A plugin that the operator starts.
struct PluginProgram {
    std::string path;
    std::string sha256{};  // of the file, 64 small hex digits; empty: not checked
    std::vector<std::string> args{};
    std::string below{};  // a folder that `path`, links resolved, must not leave; empty: any
    friend bool operator==(const PluginProgram&, const PluginProgram&) = default;
};

using PluginAddress = std::variant<PluginEndpoint, PluginProgram>;
using NamedProgram = std::pair<std::string, PluginProgram>;  // a plugin and its program

struct PluginCall {
    std::string plugin;  // its name, for sentences and logs
    PluginAddress address;
    PluginMethod method = PluginMethod::GetResourceStatus;
    std::string api_version{};
    std::string kind{};
    std::string name{};
    std::string ns{};
    int weight = 0;          // for SetWeight and VerifyWeight
    std::string revision{};  // that is meant, for those and Promote
    std::string config{};    // JSON text; empty: none
    Duration timeout = 10s;
};

struct PluginAnswer {
    ResourceStatus status{};  // of GetResourceStatus
    bool verified = false;    // of VerifyWeight
    std::string message{};    // the same; printable
    friend bool operator==(const PluginAnswer&, const PluginAnswer&) = default;
};

}  // namespace sluice::api
