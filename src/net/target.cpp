#include "net/target.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <memory>
#include <optional>
#include <string_view>

namespace sluice::net {

namespace {

using boost::beast::iequals;

constexpr std::size_t url_bytes_max = 64
                                      << 10;  // selectors of long queries fit; libcurl takes 8 MB

constexpr std::size_t socket_path_bytes_max = 107;  // what the kernel's address of one holds

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::unexpected<Error> invalid(std::string message) {
    return failure(ErrorKind::Invalid, std::move(message));
}

bool has_line_break(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos;
}

bool is_token(std::string_view text) {
    constexpr std::string_view punctuation = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               punctuation.find(c) != punctuation.npos;
    });
}

// The two that frame a body are for the client alone: a second one would smuggle a request.
bool frames_a_body(std::string_view name) {
    return iequals(name, "Content-Length") || iequals(name, "Transfer-Encoding");
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

std::optional<std::string> complaint_about_headers(const HttpRequest& request) {
    if (!is_token(request.method)) return "the request method is not a word";
    for (const Header& header : request.headers) {
        if (!is_token(header.name)) return "a header name has a character that it must not have";
        if (has_line_break(header.value.reveal())) {
            return fmt::format("the value of header {} has a line break or NUL in it", header.name);
        }
        if (frames_a_body(header.name)) {
            return fmt::format("header {} is the client's own to set", header.name);
        }
    }
    return std::nullopt;
}

std::optional<std::string> complaint_about_url(std::string_view url) {
    if (url.size() > url_bytes_max) return "the URL is too long";
    const bool printable = std::ranges::all_of(
        url, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
    if (!printable) return "the URL has a space, a line break or another control character in it";
    return std::nullopt;
}

// With a proxy, the proxy resolves the name, so that nothing is left for a guard to judge.
std::optional<std::string> complaint_about_proxy(const HttpRequest& request) {
    if (request.proxy.empty()) return std::nullopt;
    if (complaint_about_url(request.proxy))
        return "the proxy's URL has a character it must not have";
    if (request.guard != AddressGuard::Any) {
        return "a request whose address must be judged cannot go through a proxy";
    }
    return std::nullopt;
}

std::optional<std::string> complaint_about_socket(const HttpRequest& request) {
    const std::string& path = request.unix_socket;
    if (path.empty()) return std::nullopt;
    if (path.front() != '/' || path.contains('\0')) return "the path of a socket is not absolute";
    if (path.size() > socket_path_bytes_max) return "the path of a socket is too long";
    if (request.guard != AddressGuard::Any || !request.proxy.empty() || request.tls ||
        request.url.starts_with("https")) {
        return "a socket has no address to judge, no proxy and no TLS";
    }
    return std::nullopt;
}

std::optional<std::string> complaint_about_tls(const Tls* tls) {
    if (tls == nullptr || tls->client_cert_pem.empty() == tls->client_key_pem.empty()) {
        return std::nullopt;
    }
    return "a client certificate and its key must come together";
}

Result<Url> parse(const std::string& text) {
    Url url(curl_url(), &curl_url_cleanup);
    const CURLUcode code =
        curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_DISALLOW_USER);
    if (code == CURLUE_USER_NOT_ALLOWED) return invalid("a URL must not carry a user name");
    if (code == CURLUE_UNSUPPORTED_SCHEME) return invalid("only http and https URLs are spoken");
    if (code != CURLUE_OK) {
        return invalid(fmt::format("the URL cannot be read: {}", curl_url_strerror(code)));
    }
    return url;
}

}  // namespace

Result<Target> find_target(const HttpRequest& request) {
    for (const auto& complaint :
         {complaint_about_headers(request), complaint_about_url(request.url),
          complaint_about_proxy(request), complaint_about_socket(request),
          complaint_about_tls(request.tls.get())}) {
        if (complaint) return invalid(*complaint);
    }
    Result<Url> url = parse(request.url);
    if (!url) return std::unexpected(url.error());

    const std::string scheme = part(*url, CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https")
        return invalid("only http and https URLs are spoken");
    Target target{.url = {},
                  .host = part(*url, CURLUPART_HOST),
                  .port = part(*url, CURLUPART_PORT, CURLU_DEFAULT_PORT),
                  .secure = scheme == "https",
                  .socket = request.unix_socket};
    if (target.host.empty()) return invalid("the URL names no host");

    if (target.secure && request.tls && !request.tls->server_name.empty()) {
        const std::string& name = request.tls->server_name;
        if (complaint_about_url(name) ||
            curl_url_set(url->get(), CURLUPART_HOST, name.c_str(), 0) != CURLUE_OK) {
            return invalid("the TLS server name is not a host name");
        }
        target.renamed = true;
    }
    target.url = part(*url, CURLUPART_URL);
    return target;
}

}  // namespace sluice::net
