#include "probe/plugin/grpc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "kube/user_agent.hpp"

namespace sluice::probe {

namespace {

constexpr std::size_t prefix_bytes = 5;  // whether it is compressed, and four of its length
const std::string status_name = "grpc-status";
const std::string message_name = "grpc-message";

struct Status {
    std::string_view name;
    ErrorKind kind;
};

// gRPC's own list, by number.
constexpr Status statuses[] = {
    {"OK", ErrorKind::Malformed},
    {"CANCELLED", ErrorKind::Server},
    {"UNKNOWN", ErrorKind::Server},
    {"INVALID_ARGUMENT", ErrorKind::Invalid},
    {"DEADLINE_EXCEEDED", ErrorKind::Timeout},
    {"NOT_FOUND", ErrorKind::NotFound},
    {"ALREADY_EXISTS", ErrorKind::Conflict},
    {"PERMISSION_DENIED", ErrorKind::Forbidden},
    {"RESOURCE_EXHAUSTED", ErrorKind::Throttled},
    {"FAILED_PRECONDITION", ErrorKind::Conflict},
    {"ABORTED", ErrorKind::Conflict},
    {"OUT_OF_RANGE", ErrorKind::Invalid},
    {"UNIMPLEMENTED", ErrorKind::Invalid},
    {"INTERNAL", ErrorKind::Server},
    {"UNAVAILABLE", ErrorKind::Unreachable},
    {"DATA_LOSS", ErrorKind::Server},
    {"UNAUTHENTICATED", ErrorKind::Unauthorized},
};

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

// Bytes outside of printable ASCII come percent-encoded. What is not encoded well stays as it is.
std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
        if (text[i] == '%' && high && low) {
            plain += static_cast<char>(*high * 16 + *low);
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

bool is_grpc(std::string_view content_type) {
    constexpr std::string_view name = "application/grpc";
    if (!content_type.starts_with(name)) return false;
    const std::string_view rest = content_type.substr(name.size());
    return rest.empty() || rest.front() == '+' || rest.front() == ';';
}

Error failed_call(const std::string& subject, std::string_view number,
                  const std::map<std::string, std::string>& kept) {
    const auto value = whole_number<unsigned>(number).value_or(0);
    if (value == 0 || value >= std::size(statuses)) {
        return {ErrorKind::Malformed, fmt::format("{} answered with {}, which is not a status of "
                                                  "gRPC",
                                                  subject, quoted(number))};
    }
    const auto said = kept.find(message_name);
    const std::string why = said == kept.end() ? "" : printable(decoded(said->second));
    const Status& status = statuses[value];
    return {status.kind,
            fmt::format("{} answered {}{}{}", subject, status.name, why.empty() ? "" : ": ", why)};
}

Result<std::string> unframed(std::string_view body, const std::string& subject) {
    const auto malformed = [&](std::string_view what) {
        return failure(ErrorKind::Malformed, fmt::format("{} {}", subject, what));
    };
    if (body.empty()) return malformed("said that all is well, but sent no message");
    if (body.size() < prefix_bytes) return malformed("sent less than a message");
    if (body.front() != 0)
        return malformed("sent a compressed message, which it was not asked for");
    std::size_t length = 0;
    for (const char c : body.substr(1, prefix_bytes - 1))
        length = length << 8 | static_cast<unsigned char>(c);
    if (length != body.size() - prefix_bytes) {
        return malformed("sent more or less than the one message it announced");
    }
    return std::string(body.substr(prefix_bytes));
}

// Our own deadline is to pass first, so that silence is seen as silence. The other side's is for
// when we are gone.
constexpr Duration grace = 1s;

std::string in_grpc_units(Duration timeout) {
    constexpr std::int64_t digits_max = 99'999'999;
    return std::to_string(std::clamp<std::int64_t>(timeout.count(), 1, digits_max)) + "m";
}

}  // namespace

std::string to_grpc_frame(std::string_view message) {
    const auto size = static_cast<std::uint32_t>(message.size());
    std::string frame{0};
    for (const unsigned shift : {24u, 16u, 8u, 0u})
        frame += static_cast<char>(size >> shift & 0xff);
    return frame.append(message);
}

net::HttpRequest grpc_request(const GrpcPeer& peer, std::string_view method,
                              std::string_view message, Duration timeout, std::size_t answer_max) {
    net::HttpRequest request;
    request.method = "POST";
    const std::string host = peer.unix_socket.empty() ? peer.authority : "localhost";
    request.url = (peer.tls ? "https://" : "http://") + host + std::string(method);
    request.unix_socket = peer.unix_socket;
    request.headers = {{"content-type", Redacted("application/grpc")},
                       {"te", Redacted("trailers")},
                       {"user-agent", Redacted(std::string(kube::user_agent))}};
    if (timeout > 0ms)
        request.headers.push_back({"grpc-timeout", Redacted(in_grpc_units(timeout + grace))});
    request.body = to_grpc_frame(message);
    request.deadline = timeout;
    request.body_max = answer_max + prefix_bytes;
    const bool is_plain_port = peer.unix_socket.empty() && !peer.tls;
    if (is_plain_port) request.guard = net::AddressGuard::OnlyLoopback;
    request.tls = peer.tls;
    request.version = net::HttpVersion::Two;
    request.wanted = {status_name, message_name};
    return request;
}

Result<std::string> read_grpc_answer(Result<net::HttpResponse> answer, const std::string& subject) {
    if (!answer) {
        return failure(answer.error().kind, fmt::format("{}: {}", subject, answer.error().message));
    }
    if (answer->status != 200) {
        return failure(ErrorKind::Malformed, fmt::format("{} answered with HTTP status {}, which "
                                                         "is not gRPC",
                                                         subject, answer->status));
    }
    if (!is_grpc(answer->content_type)) {
        return failure(ErrorKind::Malformed, fmt::format("{} answered with {}, which is not gRPC",
                                                         subject, quoted(answer->content_type)));
    }
    const auto status = answer->kept.find(status_name);
    if (status == answer->kept.end()) {
        return failure(ErrorKind::Malformed,
                       fmt::format("{} ended its answer without a status", subject));
    }
    if (status->second != "0") {
        return std::unexpected(failed_call(subject, status->second, answer->kept));
    }
    return unframed(answer->body, subject);
}

}  // namespace sluice::probe
