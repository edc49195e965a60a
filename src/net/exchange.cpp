#include "net/exchange.hpp"

#include <fmt/format.h>

#include <boost/beast/core/string.hpp>
#include <cerrno>

#include "base/text.hpp"
#include "net/address_guard.hpp"
#include "net/curl_error.hpp"

namespace sluice::net {

namespace {

using boost::beast::iequals;

constexpr std::size_t header_bytes_max = 64 << 10;  // of a whole answer; API servers send 1 KiB

// Sending one of these a second time could do its work a second time.
bool must_be_sent_once(const std::string& method) {
    return method == "POST" || method == "PATCH";
}

}  // namespace

Exchange::Exchange(HttpRequest request, Target target, HttpClient::Chunk chunk)
    : request_(std::move(request)),
      target_(std::move(target)),
      chunk_(std::move(chunk)),
      last_byte_(std::chrono::steady_clock::now()) {}

Exchange::~Exchange() = default;

curl_socket_t Exchange::on_open(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    auto& here = *static_cast<Exchange*>(self);
    const HttpRequest& request = here.request_;
    auto why = denied(request.guard, address->addr, address->addrlen);
    if (!why && request.forbidden) why = request.forbidden->denied(address->addr, address->addrlen);
    if (why) {
        here.forbidden_ = std::move(why);
        return CURL_SOCKET_BAD;
    }
    here.dialled_ = true;
    const curl_socket_t socket = here.sockets_->open(*address);
    if (socket == CURL_SOCKET_BAD) here.os_error_ = errno;
    return socket;
}

// The connection outlives the exchange that dialled it.
int Exchange::on_close(void* sockets, curl_socket_t socket) noexcept {
    static_cast<Sockets*>(sockets)->close(socket);
    return 0;
}

int Exchange::on_ready(void* self, char* remote, char*, int port, int) noexcept {
    return static_cast<Exchange*>(self)->may_talk_to(remote, port) ? CURL_PREREQFUNC_OK
                                                                   : CURL_PREREQFUNC_ABORT;
}

std::size_t Exchange::on_header(char* bytes, std::size_t size, std::size_t count,
                                void* self) noexcept {
    const std::string_view line(bytes, size * count);
    return static_cast<Exchange*>(self)->take_header(line) ? line.size() : 0;
}

std::size_t Exchange::on_body(char* bytes, std::size_t size, std::size_t count,
                              void* self) noexcept {
    const std::string_view piece(bytes, size * count);
    return static_cast<Exchange*>(self)->take_body(piece) ? piece.size() : 0;
}

// Connected, nothing sent yet. A connection from the pool was dialled under another request's
// guard, and libcurl by itself sends a request again if a pooled connection dies under it.
bool Exchange::may_talk_to(std::string_view remote, int port) {
    if (silenced_) return false;
    auto why = denied(request_.guard, remote);
    if (!why && request_.forbidden) why = request_.forbidden->denied(remote, port);
    if (request_.servers) request_.servers->add_server(remote, port);
    if (why) {
        forbidden_ = std::move(why);
        dialled_ = false;
        return false;
    }
    if (sent_ && must_be_sent_once(request_.method)) {
        refusal_ = Error{ErrorKind::Unreachable,
                         fmt::format("the connection to {} broke while the request was sent",
                                     target_.authority())};
        return false;
    }
    sent_ = true;
    return true;
}

bool Exchange::take_header(std::string_view line) {
    last_byte_ = std::chrono::steady_clock::now();
    header_bytes_ += line.size();
    if (header_bytes_ > header_bytes_max) {
        refusal_ = Error{ErrorKind::TooLarge,
                         fmt::format("the answer of {} has too many headers", target_.authority())};
        return false;
    }
    if (line.starts_with("HTTP/")) {  // of the answer, or of an interim one before it
        response_ = {};
        return is_wanted_version(line);
    }
    const auto colon = line.find(':');
    if (colon == line.npos) return true;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (iequals(name, "Content-Type")) response_.content_type = value;
    if (iequals(name, "Retry-After")) response_.retry_after = value;
    if (iequals(name, "Warning") && response_.warning.empty()) response_.warning = value;
    for (const std::string& wanted : request_.wanted) {
        if (iequals(name, wanted)) response_.kept.insert_or_assign(wanted, value);
    }
    return true;
}

// A TLS server may settle on an older version than the one it was offered.
bool Exchange::is_wanted_version(std::string_view status_line) {
    if (request_.version == HttpVersion::One || status_line.starts_with("HTTP/2")) return true;
    refusal_ = Error{ErrorKind::Malformed,
                     fmt::format("{} gave no answer in HTTP/2", target_.authority())};
    return false;
}

bool Exchange::is_streaming() const {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return chunk_ && status >= 200 && status < 300;
}

bool Exchange::take_body(std::string_view bytes) {
    if (silenced_) return false;
    last_byte_ = std::chrono::steady_clock::now();
    if (is_streaming()) {
        stopped_ = !chunk_(bytes);
        return !stopped_ && !silenced_;
    }
    if (bytes.size() > request_.body_max - response_.body.size()) {
        refusal_ =
            Error{ErrorKind::TooLarge, fmt::format("the answer of {} is larger than {} bytes",
                                                   target_.authority(), request_.body_max)};
        return false;
    }
    response_.body += bytes;
    return true;
}

Result<HttpResponse> Exchange::outcome(CURLcode code) {
    if (code == CURLE_OK || stopped_) {
        long status = 0;
        curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
        response_.status = static_cast<int>(status);
        return std::move(response_);
    }
    if (refusal_) return std::unexpected(*refusal_);
    if (forbidden_ && !dialled_) {
        return failure(ErrorKind::Refused, fmt::format("{} is {}, which must not be contacted",
                                                       target_.authority(), *forbidden_));
    }
    CurlFailure failed{.code = code,
                       .where = target_.authority(),
                       .detail = error_text_.data(),
                       .os_error = os_error_,
                       .was_sent = sent_,
                       .in_http2 = request_.version == HttpVersion::Two};
    long connect_error = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_OS_ERRNO, &connect_error);
    if (connect_error != 0) failed.os_error = static_cast<int>(connect_error);
    curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_CONNECTCODE, &failed.proxy_status);
    return std::unexpected(explain(failed));
}

}  // namespace sluice::net
