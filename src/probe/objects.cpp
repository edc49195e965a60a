#include "probe/objects.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/base64.hpp"
#include "base/redacted.hpp"
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

Result<object> parse_object(const std::string& what, std::string_view body) {
    boost::json::parse_options options;
    options.max_depth = depth_max;
    boost::system::error_code broken;
    value parsed = boost::json::parse(body, broken, {}, options);
    if (broken || !parsed.is_object()) {
        return failure(ErrorKind::Malformed, what + " was not answered as a JSON object");
    }
    return std::move(parsed.get_object());
}

object* member_object(object& parent, std::string_view key) {
    value* member = parent.if_contains(key);
    return member ? member->if_object() : nullptr;
}

std::string member_text(const object* parent, std::string_view key) {
    const value* member = parent ? parent->if_contains(key) : nullptr;
    const string* text = member ? member->if_string() : nullptr;
    return text ? std::string(*text) : "";
}

kube::ApiRequest get_object(std::string path) {
    kube::ApiRequest request;
    request.path = std::move(path);
    request.body_max = object_bytes_max;
    return request;
}

Error explain_secret(const std::string& full_name, const kube::ApiError& failed) {
    if (failed.status == 403) {
        return {ErrorKind::Forbidden,
                "Sluice may not read Secret " + full_name +
                    ": bind the ClusterRole sluice-secret-reader in this namespace "
                    "(docs/hooks.md)"};
    }
    if (failed.status == 404) {
        return {ErrorKind::NotFound, "Secret " + full_name + " does not exist"};
    }
    return {failed.error.kind,
            "Secret " + full_name + " could not be read: " + failed.error.message};
}

std::map<std::string, std::string> our_annotations(object& secret) {
    object* metadata = member_object(secret, "metadata");
    const object* all = metadata ? member_object(*metadata, "annotations") : nullptr;
    std::map<std::string, std::string> ours;
    if (!all) return ours;
    for (const auto& [name, text] : *all) {
        if (name.starts_with("sluice.dev/")) ours.emplace(name, member_text(all, name));
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
    return get_object(wire::object_path({&model::pods, ns, name}));
}

kube::ApiRequest get_secret(const std::string& ns, const std::string& name) {
    return get_object(wire::object_path({&model::secrets, ns, name}));
}

Result<api::PodSeen> read_pod(const std::string& name, kube::ApiResult<kube::ApiResponse> answer) {
    const std::string what = "pod " + name;
    if (!answer && answer.error().status == 404) {
        return failure(ErrorKind::NotFound, what + " does not exist");
    }
    if (!answer) {
        const Error& error = answer.error().error;
        return failure(error.kind, what + " could not be read: " + error.message);
    }
    Result<object> pod = parse_object(what, answer->body);
    if (!pod) return std::unexpected(pod.error());
    object* metadata = member_object(*pod, "metadata");
    if (metadata) metadata->erase("managedFields");
    return api::PodSeen{member_text(metadata, "uid"),
                        member_text(member_object(*pod, "status"), "podIP"),
                        boost::json::serialize(*pod)};
}

Result<api::Secret> read_secret(const std::string& full_name,
                                kube::ApiResult<kube::ApiResponse> answer) {
    if (!answer) return std::unexpected(explain_secret(full_name, answer.error()));
    const Redacted body{std::move(answer->body)};  // wiped on the way out
    Result<object> secret = parse_object("Secret " + full_name, body.reveal());
    if (!secret) return std::unexpected(secret.error());
    const value* data = secret->if_contains("data");
    if (data && !data->is_null() && !data->is_object()) {
        return failure(ErrorKind::Malformed, "Secret " + full_name + ": data is not an object");
    }
    Result<SecretData> decoded =
        decode_secret(full_name, data && data->is_object() ? data->get_object() : object{});
    if (!decoded) return std::unexpected(decoded.error());
    return api::Secret{std::move(*decoded), our_annotations(*secret)};
}

}  // namespace sluice::probe
