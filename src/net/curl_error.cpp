#include "net/curl_error.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

namespace sluice::net {

namespace {

constexpr std::size_t detail_bytes_max = 200;  // one line of a terminal and a bit

// Peers put names of their choice into certificates, and libcurl quotes them.
std::string cleaned(std::string_view text) {
    std::string clean(text.substr(0, detail_bytes_max));
    for (char& c : clean) {
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    }
    return clean;
}

std::string reason_of(const CurlFailure& failed) {
    return failed.detail.empty() ? std::string(curl_easy_strerror(failed.code))
                                 : cleaned(failed.detail);
}

std::string text_of_errno(int os_error) {
    if (os_error == 0) return "no connection";
    std::string text = std::generic_category().message(os_error);
    if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

Error unreachable(std::string message) {
    return {ErrorKind::Unreachable, std::move(message)};
}

Error explain_tls(const CurlFailure& failed) {
    const std::string reason = reason_of(failed);
    switch (failed.code) {
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_INVALIDCERTSTATUS:
            return unreachable(
                fmt::format("TLS certificate of {} was not accepted: {}", failed.where, reason));
        case CURLE_SSL_CERTPROBLEM:
            return {ErrorKind::Malformed, fmt::format("the client certificate for {} cannot be "
                                                      "used: {}",
                                                      failed.where, reason)};
        case CURLE_SSL_CACERT_BADFILE:
            return {ErrorKind::Malformed,
                    fmt::format("the CA certificates for {} cannot be read", failed.where)};
        default: return unreachable(fmt::format("TLS with {} failed: {}", failed.where, reason));
    }
}

}  // namespace

Error explain(const CurlFailure& failed) {
    const std::string& where = failed.where;
    if (failed.proxy_status >= 300) {
        return unreachable(
            fmt::format("cannot reach {}: the proxy answered {}", where, failed.proxy_status));
    }
    // So says libcurl of a header line beyond its bound.
    if (failed.code == CURLE_OUT_OF_MEMORY && failed.was_sent) {
        return {ErrorKind::TooLarge,
                fmt::format("a header in the answer of {} is too long", where)};
    }
    switch (failed.code) {
        case CURLE_OPERATION_TIMEDOUT:
            return {ErrorKind::Timeout,
                    fmt::format("cannot reach {}: no connection came about in time", where)};
        case CURLE_COULDNT_RESOLVE_HOST:
            return unreachable(fmt::format("cannot reach {}: the name does not resolve", where));
        case CURLE_COULDNT_RESOLVE_PROXY:
            return unreachable(
                fmt::format("cannot reach {}: the proxy's name does not resolve", where));
        case CURLE_COULDNT_CONNECT:
            return unreachable(
                fmt::format("cannot reach {}: {}", where, text_of_errno(failed.os_error)));
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CIPHER: return explain_tls(failed);
        case CURLE_HTTP2:
            return {ErrorKind::Malformed, fmt::format("{} gave no answer in HTTP/2", where)};
        case CURLE_HTTP2_STREAM: return unreachable(fmt::format("{} broke its answer off", where));
        case CURLE_GOT_NOTHING:
            if (failed.in_http2) {
                return {ErrorKind::Malformed, fmt::format("{} gave no answer in HTTP/2", where)};
            }
            return unreachable(fmt::format("{} closed the connection without an answer", where));
        case CURLE_PARTIAL_FILE:
            return unreachable(fmt::format("{} closed the connection in mid-answer", where));
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
            return unreachable(
                fmt::format("the connection to {} broke: {}", where, reason_of(failed)));
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_BAD_CONTENT_ENCODING:
            return {ErrorKind::Malformed,
                    fmt::format("{} answered with something that is not HTTP/1.1", where)};
        case CURLE_URL_MALFORMAT:
            return {ErrorKind::Invalid, fmt::format("the URL of {} cannot be used", where)};
        default:
            return unreachable(
                fmt::format("cannot talk to {}: {}", where, curl_easy_strerror(failed.code)));
    }
}

}  // namespace sluice::net
