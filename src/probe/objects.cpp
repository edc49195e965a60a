#include "probe/objects.hpp"

#include <boost/json/serialize.hpp>

#include "base/base64.hpp"
#include "base/redacted.hpp"
#include "model/json_text.hpp"
#include "wire/paths.hpp"

namespace sluice::probe {

namespace {

using api::SecretData;
using boost::json::object;
using boost::json::string;
using boost::json::value;

// Above what etcd lets an object hold, in JSON with base64.
constexpr std::size_t object_bytes_max = 4u << 20;
constexpr std::size_t depth_max = 64;

Result<value> parse_object(const std::string& what, std::string_view body) {
    value parsed = model::parse_json(body, depth_max);
    if (parsed.is_object()) return parsed;
    return failure(ErrorKind::Malformed, what + " was not answered as a JSON object");
}

kube::ApiRequest get_object(const model::Ref& ref) {
    return {.path = wire::object_path(ref), .body_max = object_bytes_max};
}

Error explain(const std::string& what, const kube::ApiError& failed) {
    if (failed.status == 404) return {ErrorKind::NotFound, what + " does not exist"};
    return {failed.error.kind, what + " could not be read: " + failed.error.message};
}

Error explain_secret(const std::string& full_name, const kube::ApiError& failed) {
    if (failed.status != 403) return explain("Secret " + full_name, failed);
    return {ErrorKind::Forbidden, "Sluice may not read Secret " + full_name +
                                      ": bind the ClusterRole sluice-secret-reader in this "
                                      "namespace (docs/hooks.md)"};
}

Error explain_log(const std::string& what, const kube::ApiError& failed) {
    if (failed.status != 403) return explain(what, failed);
    return {ErrorKind::Forbidden,
            what +
                " may not be read: bind the ClusterRole that grants it in this namespace "
                "(docs/operations.md)"};
}

api::PodSeen pod_seen(object& pod) {
    value* metadata = pod.if_contains("metadata");
    if (metadata && metadata->is_object()) metadata->get_object().erase("managedFields");
    const value whole(pod);
    return {std::string(model::text_at(whole, "/metadata/uid")),
            std::string(model::text_at(whole, "/status/podIP")), boost::json::serialize(whole)};
}

std::map<std::string, std::string> our_annotations(const value& secret) {
    std::map<std::string, std::string> ours;
    const value* all = model::value_at(secret, "/metadata/annotations");
    if (!all || !all->is_object()) return ours;
    for (const auto& [name, text] : all->get_object()) {
        if (name.starts_with("sluice.dev/")) ours.emplace(name, model::text_at(text, ""));
    }
    return ours;
}

Result<SecretData> decode_secret(const std::string& full_name, const object& data) {
    SecretData decoded;
    for (const auto& [key, member] : data) {
        const string* text = member.if_string();
        std::optional<Redacted> bytes = text ? decode_base64(*text) : std::nullopt;
        if (!bytes) {
            return failure(ErrorKind::Malformed, "Secret " + full_name + ": key " +
                                                     std::string(key) + " is not valid base64");
        }
        decoded.emplace(key, std::move(*bytes));
    }
    return decoded;
}

}  // namespace

kube::ApiRequest get_pod(const std::string& ns, const std::string& name) {
    return get_object({&model::pods, ns, name});
}

kube::ApiRequest list_pods(const std::string& ns, const std::string& selector) {
    return {.path = wire::pods_path(ns, selector, {}), .body_max = object_bytes_max};
}

kube::ApiRequest get_log(const std::string& ns, const api::NeedLog& need) {
    return {
        .path = wire::log_path({&model::pods, ns, need.pod}, need.container, need.bytes_max + 1),
        .body_max = need.bytes_max + 1};
}

kube::ApiRequest get_secret(const std::string& ns, const std::string& name) {
    return get_object({&model::secrets, ns, name});
}

Result<api::PodSeen> read_pod(const std::string& name, kube::ApiResult<kube::ApiResponse> answer) {
    const std::string what = "pod " + name;
    if (!answer) return std::unexpected(explain(what, answer.error()));
    Result<value> pod = parse_object(what, answer->body);
    if (!pod) return std::unexpected(pod.error());
    return pod_seen(pod->get_object());
}

Result<std::vector<api::PodSeen>> read_pods(kube::ApiResult<kube::ApiResponse> answer) {
    if (!answer) return std::unexpected(explain("the list of pods", answer.error()));
    Result<value> list = parse_object("the list of pods", answer->body);
    if (!list) return std::unexpected(list.error());
    std::vector<api::PodSeen> pods;
    value* items = list->get_object().if_contains("items");
    if (!items || !items->is_array()) return pods;
    for (value& pod : items->get_array())
        if (pod.is_object()) pods.push_back(pod_seen(pod.get_object()));
    return pods;
}

// A log that was cut where it became too long is as long as it may be, and a byte longer.
Result<Redacted> read_log(const api::NeedLog& need, kube::ApiResult<kube::ApiResponse> answer) {
    const std::string what = "the log of container " + need.container + " of pod " + need.pod;
    if (!answer) return std::unexpected(explain_log(what, answer.error()));
    Redacted log{std::move(answer->body)};
    if (log.reveal().size() <= need.bytes_max) return log;
    return failure(ErrorKind::TooLarge,
                   what + " has more than " + std::to_string(need.bytes_max >> 10) + " KiB");
}

Result<api::Secret> read_secret(const std::string& full_name,
                                kube::ApiResult<kube::ApiResponse> answer) {
    if (!answer) return std::unexpected(explain_secret(full_name, answer.error()));
    const Redacted body{std::move(answer->body)};  // wiped on the way out
    const Result<value> secret = parse_object("Secret " + full_name, body.reveal());
    if (!secret) return std::unexpected(secret.error());
    const value* data = model::value_at(*secret, "/data");
    if (data && !data->is_null() && !data->is_object()) {
        return failure(ErrorKind::Malformed, "Secret " + full_name + ": data is not an object");
    }
    Result<SecretData> decoded =
        decode_secret(full_name, data && data->is_object() ? data->get_object() : object{});
    if (!decoded) return std::unexpected(decoded.error());
    return api::Secret{std::move(*decoded), our_annotations(*secret)};
}

}  // namespace sluice::probe
