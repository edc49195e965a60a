#include "kube/exec_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "kube/bearer.hpp"
#include "kube/pem.hpp"
#include "kube/sentence.hpp"
#include "model/json_text.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;

constexpr std::size_t answer_bytes_max = 1 << 20;
constexpr Duration plugin_deadline = 30s;
constexpr std::size_t stderr_line_max = 200;
constexpr std::size_t install_hint_max = 300;

std::string_view api_version(ExecVersion version) {
    return version == ExecVersion::V1 ? "client.authentication.k8s.io/v1"
                                      : "client.authentication.k8s.io/v1beta1";
}

json::object cluster_info(const ClusterEntry& cluster, std::string_view ca_pem) {
    json::object info{{"server", cluster.server}};
    if (!cluster.server_name.empty()) info["tls-server-name"] = cluster.server_name;
    if (!cluster.verify) info["insecure-skip-tls-verify"] = true;
    if (!ca_pem.empty()) info["certificate-authority-data"] = encode_base64(ca_pem);
    if (!cluster.proxy.empty()) info["proxy-url"] = cluster.proxy;
    info["config"] = cluster.exec_settings;
    return info;
}

// An absent field is empty; a field of another type than string is nothing.
std::optional<std::string> text(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || value->is_null()) return std::string();
    if (!value->is_string()) return std::nullopt;
    return std::string(value->get_string());
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "+02:00" behind a time, as a duration; "Z" is zero.
std::optional<Duration> zone_offset(std::string_view zone) {
    if (zone == "Z") return Duration{0};
    const bool fits = zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && is_digit(zone[1]) &&
                      is_digit(zone[2]) && zone[3] == ':' && is_digit(zone[4]) && is_digit(zone[5]);
    if (!fits) return std::nullopt;
    const auto number = [&](std::size_t at) {
        return (zone[at] - '0') * 10 + (zone[at + 1] - '0');
    };
    const Duration ahead = std::chrono::hours{number(1)} + std::chrono::minutes{number(4)};
    return zone[0] == '+' ? ahead : -ahead;
}

std::optional<Instant> parse_time(std::string_view time) {
    const std::size_t zone_size = time.ends_with('Z') ? 1 : std::min<std::size_t>(6, time.size());
    const std::string_view zone = time.substr(time.size() - std::min(zone_size, time.size()));
    const auto offset = zone_offset(zone);
    const auto local = parse_rfc3339(std::string(time.substr(0, time.size() - zone.size())) + "Z");
    if (!offset || !local) return std::nullopt;
    return *local - *offset;
}

Result<void> judge_type(const json::object& answer, ExecVersion version) {
    if (text(answer, "kind") != "ExecCredential")
        return failure(ErrorKind::Malformed, "is not of kind ExecCredential");
    if (text(answer, "apiVersion") != api_version(version))
        return failure(ErrorKind::Malformed,
                       fmt::format("is not of apiVersion {}, which the kubeconfig names",
                                   api_version(version)));
    return {};
}

Result<ExecCredential> read_status(const json::object& status) {
    const auto token = text(status, "token");
    const auto cert = text(status, "clientCertificateData");
    const auto key = text(status, "clientKeyData");
    const auto expires = text(status, "expirationTimestamp");
    if (!token || !cert || !key || !expires)
        return failure(ErrorKind::Malformed, "has a status field that is not a string");
    if (token->empty() && cert->empty() && key->empty())
        return failure(ErrorKind::Malformed, "has neither a token nor a client certificate");
    if (cert->empty() != key->empty())
        return failure(ErrorKind::Malformed, "has a client certificate or a key, but not both");
    if (!cert->empty() && !is_pair(*cert, *key))
        return failure(ErrorKind::Malformed,
                       "has a client certificate and a key that do not belong together");
    Result<Redacted> authorization = token->empty() ? Redacted() : bearer("token", *token);
    if (!authorization)
        return failure(ErrorKind::Malformed, "has a token that cannot stand in a header");
    ExecCredential credential{*std::move(authorization), *cert, Redacted(*key), std::nullopt};
    if (expires->empty()) return credential;
    credential.expires = parse_time(*expires);
    if (!credential.expires)
        return failure(ErrorKind::Malformed, "has an expirationTimestamp that is not a time");
    return credential;
}

std::string_view last_line(std::string_view text) {
    text = trimmed(text);
    return text.substr(text.find_last_of('\n') + 1);
}

bool sounds_secret(std::string_view variable) {
    constexpr std::string_view words[] = {"KEY", "PASSW", "SECRET", "TOKEN"};
    return std::ranges::any_of(words, [&](auto word) { return variable.contains(word); });
}

std::string complaint_of(const ExecPlugin& plugin, const net::ProgramOutput& output) {
    std::string line(last_line(output.err));
    for (const auto& [name, value] : plugin.env) {
        if (sounds_secret(name)) line = without_secret(std::move(line), value.reveal());
    }
    line = printable(without_web_tokens(line), stderr_line_max);
    return line.empty() ? std::string() : ": " + line;
}

std::string hint_of(const ExecPlugin& plugin) {
    const std::string hint = printable(plugin.install_hint, install_hint_max);
    return hint.empty() ? std::string() : "; " + hint;
}

std::string name_of(const ExecPlugin& plugin) {
    return fmt::format("{}: {}", plugin.where, in_quotes(plugin.command));
}

Error failed_run(const ExecPlugin& plugin, const Error& error) {
    const std::string hint = error.kind == ErrorKind::Unreadable ? hint_of(plugin) : "";
    return {error.kind, fmt::format("{}: {}{}", plugin.where, error.message, hint)};
}

}  // namespace

std::string exec_info(const ExecPlugin& plugin, const ClusterEntry& cluster,
                      std::string_view ca_pem) {
    json::object spec{{"interactive", false}};
    if (plugin.wants_cluster) spec["cluster"] = cluster_info(cluster, ca_pem);
    return json::serialize(json::object{
        {"apiVersion", api_version(plugin.version)}, {"kind", "ExecCredential"}, {"spec", spec}});
}

Result<ExecCredential> parse_exec_credential(std::string_view answer, ExecVersion version) {
    if (answer.size() > answer_bytes_max)
        return failure(ErrorKind::TooLarge,
                       fmt::format("is larger than {} KiB", answer_bytes_max / 1024));
    const json::value value = model::parse_json(answer);
    const json::object* object = value.if_object();
    if (!object) return failure(ErrorKind::Malformed, "is not a JSON object");
    if (auto typed = judge_type(*object, version); !typed) return std::unexpected(typed.error());
    const json::value* status = object->if_contains("status");
    if (status == nullptr || !status->is_object())
        return failure(ErrorKind::Malformed, "has no status");
    return read_status(status->get_object());
}

net::Program plugin_program(const ExecPlugin& plugin, const std::string& exec_info) {
    net::Program program{.argv = {plugin.command},
                         .env = {},
                         .input = {},
                         .deadline = plugin_deadline,
                         .output_max = answer_bytes_max};
    program.argv.insert(program.argv.end(), plugin.args.begin(), plugin.args.end());
    for (const auto& [name, value] : plugin.env)
        program.env.push_back({name, value});
    program.env.push_back({"KUBERNETES_EXEC_INFO", Redacted(exec_info)});
    return program;
}

Result<ExecCredential> plugin_credential(const ExecPlugin& plugin,
                                         Result<net::ProgramOutput> output) {
    if (!output) return std::unexpected(failed_run(plugin, output.error()));
    const Redacted answer(std::move(output->out));
    if (output->exit_code != 0)
        return failure(ErrorKind::Unreadable,
                       fmt::format("{} ended with exit code {}{}", name_of(plugin),
                                   output->exit_code, complaint_of(plugin, *output)));
    Result<ExecCredential> credential = parse_exec_credential(answer.reveal(), plugin.version);
    if (!credential)
        return failure(credential.error().kind,
                       fmt::format("{}: its answer {}{}", name_of(plugin),
                                   credential.error().message, complaint_of(plugin, *output)));
    return credential;
}

}  // namespace sluice::kube
