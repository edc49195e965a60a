#include "kube/status.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "kube/retry_after.hpp"
#include "kube/sentence.hpp"

namespace sluice::kube {
namespace {

namespace json = boost::json;

// The server's own Status has a few hundred bytes, with all causes of an invalid object some KiB.
constexpr std::size_t status_bytes_max = 256 << 10;
constexpr std::size_t status_depth_max = 16;
constexpr std::size_t message_bytes_max = 1024;
constexpr std::size_t reason_bytes_max = 64;

struct Status {
    std::string message;
    std::string reason;
};

std::string text(const json::object& object, std::string_view key, std::size_t bytes_max) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_string()) return {};
    return printable(std::string_view(value->get_string()), bytes_max);
}

// Empty if the body is something else: proxies answer in HTML.
Status parse_status(std::string_view body) {
    if (body.size() > status_bytes_max) return {};
    json::parse_options options;
    options.max_depth = status_depth_max;
    json::error_code wrong;
    const json::value value = json::parse(body, wrong, {}, options);
    if (wrong || !value.is_object()) return {};
    const json::object& object = value.get_object();
    if (text(object, "kind", reason_bytes_max) != "Status") return {};
    return {text(object, "message", message_bytes_max), text(object, "reason", reason_bytes_max)};
}

std::string without_query(std::string_view path) {
    return printable(path.substr(0, path.find('?')), message_bytes_max);
}

bool is_redirect(int status) {
    return status >= 300 && status < 400;
}

std::string sentence(const ApiRequest& request, int status, const std::string& message) {
    const std::string asked = fmt::format("{} {}", request.method, without_query(request.path));
    if (is_redirect(status))
        return fmt::format("the server sent us elsewhere ({}) for {}; check its address", status,
                           asked);
    if (status == 401) return fmt::format("the server refused our credentials (401) at {}", asked);
    if (!message.empty()) return message;
    if (status == 403) return fmt::format("the server forbids {}, and does not say why", asked);
    return fmt::format("the server answered {} to {}, and does not say why", status, asked);
}

bool is_json_patch(const ApiRequest& request) {
    return request.method == "PATCH" && request.content_type == "application/json-patch+json";
}

}  // namespace

ErrorKind error_kind(int status, bool is_json_patch) {
    switch (status) {
        case 401: return ErrorKind::Unauthorized;
        case 403: return ErrorKind::Forbidden;
        case 404: return ErrorKind::NotFound;
        case 408: return ErrorKind::Timeout;
        case 409: return ErrorKind::Conflict;
        case 410: return ErrorKind::Gone;
        case 422: return is_json_patch ? ErrorKind::Conflict : ErrorKind::Invalid;
        case 429: return ErrorKind::Throttled;
        default: break;
    }
    if (status >= 500) return ErrorKind::Server;
    return status >= 400 ? ErrorKind::Invalid : ErrorKind::Malformed;
}

ApiError api_error(const ApiRequest& request, const net::HttpResponse& response, Instant now) {
    Status status = parse_status(response.body);
    return {.error = {error_kind(response.status, is_json_patch(request)),
                      sentence(request, response.status, status.message)},
            .status = response.status,
            .retry_after = parse_retry_after(response.retry_after, now),
            .reason = std::move(status.reason)};
}

}  // namespace sluice::kube
