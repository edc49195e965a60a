#include "net/curl_error.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// What libcurl means by its codes. {where} is the peer, {why} what libcurl or OpenSSL says, and
// {os} what the kernel does.
struct Meaning {
    CURLcode code;
    ErrorKind kind;
    const char* sentence;
};

constexpr const char* not_accepted = "TLS certificate of {where} was not accepted: {why}";
constexpr const char* no_handshake = "TLS with {where} failed: {why}";
constexpr const char* not_in_http2 = "{where} gave no answer in HTTP/2";
constexpr const char* broke = "the connection to {where} broke: {why}";
constexpr const char* not_http = "{where} answered with something that is not HTTP/1.1";

constexpr Meaning meanings[] = {
    {CURLE_OPERATION_TIMEDOUT, ErrorKind::Timeout,
     "cannot reach {where}: no connection came about in time"},
    {CURLE_COULDNT_RESOLVE_HOST, ErrorKind::Unreachable,
     "cannot reach {where}: the name does not resolve"},
    {CURLE_COULDNT_RESOLVE_PROXY, ErrorKind::Unreachable,
     "cannot reach {where}: the proxy's name does not resolve"},
    {CURLE_COULDNT_CONNECT, ErrorKind::Unreachable, "cannot reach {where}: {os}"},
    {CURLE_PEER_FAILED_VERIFICATION, ErrorKind::Unreachable, not_accepted},
    {CURLE_SSL_ISSUER_ERROR, ErrorKind::Unreachable, not_accepted},
    {CURLE_SSL_INVALIDCERTSTATUS, ErrorKind::Unreachable, not_accepted},
    {CURLE_SSL_CERTPROBLEM, ErrorKind::Malformed,
     "the client certificate for {where} cannot be used: {why}"},
    {CURLE_SSL_CACERT_BADFILE, ErrorKind::Malformed,
     "the CA certificates for {where} cannot be read"},
    {CURLE_SSL_CONNECT_ERROR, ErrorKind::Unreachable, no_handshake},
    {CURLE_SSL_CIPHER, ErrorKind::Unreachable, no_handshake},
    {CURLE_HTTP2, ErrorKind::Malformed, not_in_http2},
    {CURLE_HTTP2_STREAM, ErrorKind::Unreachable, "{where} broke its answer off"},
    {CURLE_GOT_NOTHING, ErrorKind::Unreachable, "{where} closed the connection without an answer"},
    {CURLE_PARTIAL_FILE, ErrorKind::Unreachable, "{where} closed the connection in mid-answer"},
    {CURLE_SEND_ERROR, ErrorKind::Unreachable, broke},
    {CURLE_RECV_ERROR, ErrorKind::Unreachable, broke},
    {CURLE_WEIRD_SERVER_REPLY, ErrorKind::Malformed, not_http},
    {CURLE_UNSUPPORTED_PROTOCOL, ErrorKind::Malformed, not_http},
    {CURLE_BAD_CONTENT_ENCODING, ErrorKind::Malformed, not_http},
    {CURLE_URL_MALFORMAT, ErrorKind::Invalid, "the URL of {where} cannot be used"},
};

}  // namespace

Error explain(const CurlFailure& failed) {
    const std::string& where = failed.where;
    if (failed.proxy_status >= 300) {
        return {ErrorKind::Unreachable,
                fmt::format("cannot reach {}: the proxy answered {}", where, failed.proxy_status)};
    }
    // So says libcurl of a header line beyond its bound.
    if (failed.code == CURLE_OUT_OF_MEMORY && failed.was_sent) {
        return {ErrorKind::TooLarge,
                fmt::format("a header in the answer of {} is too long", where)};
    }
    const bool is_mute = failed.code == CURLE_GOT_NOTHING && failed.in_http2;
    const auto known =
        std::ranges::find(meanings, is_mute ? CURLE_HTTP2 : failed.code, &Meaning::code);
    if (known == std::end(meanings)) {
        return {ErrorKind::Unreachable,
                fmt::format("cannot talk to {}: {}", where, curl_easy_strerror(failed.code))};
    }
    return {known->kind, fmt::format(fmt::runtime(known->sentence), fmt::arg("where", where),
                                     fmt::arg("why", reason_of(failed)),
                                     fmt::arg("os", text_of_errno(failed.os_error)))};
}

}  // namespace sluice::net
