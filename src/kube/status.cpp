#include "kube/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kube/sentence.hpp"
#include "model/json_text.hpp"

namespace sluice::kube {
namespace {

// The server's own Status has a few hundred bytes, with all causes of an invalid object some KiB.
constexpr std::size_t status_bytes_max = 256 << 10;
constexpr std::size_t status_depth_max = 16;
constexpr std::size_t message_bytes_max = 1024;
constexpr std::size_t reason_bytes_max = 64;

struct Status {
    std::string message;
    std::string reason;
};

// Empty if the body is something else: proxies answer in HTML.
Status parse_status(std::string_view body) {
    if (body.size() > status_bytes_max) return {};
    const boost::json::value value = model::parse_json(body, status_depth_max);
    if (model::text_at(value, "/kind") != "Status") return {};
    return {printable(model::text_at(value, "/message"), message_bytes_max),
            printable(model::text_at(value, "/reason"), reason_bytes_max)};
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

constexpr Duration wait_min = 1s;
constexpr Duration wait_max = 60s;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Counts no further than needed to know that it is too long.
Duration seconds(std::string_view digits) {
    Duration wait{0};
    for (const char c : digits)
        wait = std::min(wait_max, wait * 10 + std::chrono::seconds{c - '0'});
    return wait;
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

std::optional<Instant> parse_http_date(std::string_view text) {
    const bool has_form = text.size() == 29 && text.substr(3, 2) == ", " && text[7] == ' ' &&
                          text[11] == ' ' && text[16] == ' ' && text.ends_with(" GMT");
    if (!has_form) return std::nullopt;
    const auto month = std::ranges::find(months, text.substr(8, 3));
    return parse_rfc3339(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4),
                                     month - months.begin() + 1, text.substr(5, 2),
                                     text.substr(17, 8)));
}

Duration parse_retry_after(std::string_view header, Instant now) {
    if (is_digits(header)) return std::clamp(seconds(header), wait_min, wait_max);
    if (const auto date = parse_http_date(header))
        return std::clamp(*date - now, wait_min, wait_max);
    return Duration{0};
}

}  // namespace sluice::kube
