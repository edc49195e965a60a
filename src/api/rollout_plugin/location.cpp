#include "api/rollout_plugin/location.hpp"

#include <algorithm>

#include "api/inquiry/url.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::rollout_plugin {

namespace {

constexpr std::size_t socket_bytes_max = 107;  // what the kernel's address of a socket holds
constexpr std::size_t sha256_digits = 64;

std::unexpected<Error> invalid(std::string what) {
    return failure(ErrorKind::Invalid, std::move(what));
}

bool is_loopback(const Url& url) {
    return url.host == "localhost" || url.host == "::1" ||
           (is_ipv4(url.host) && url.host.starts_with("127."));
}

Result<PluginAddress> read_file(std::string_view path) {
    if (!is_plain_path(path)) {
        return invalid("must be file:// and an absolute path, without \"..\" and the like");
    }
    return PluginProgram{std::string(path)};
}

Result<PluginAddress> read_socket(std::string_view path) {
    if (!is_plain_path(path)) {
        return invalid("must be unix:// and an absolute path, without \"..\" and the like");
    }
    if (path.size() > socket_bytes_max) {
        return invalid("the path of a socket must not be longer than 107 bytes");
    }
    return PluginEndpoint{"unix://" + std::string(path)};
}

Result<PluginAddress> read_port(std::string_view authority, bool secure) {
    const Result<Url> url = read_url("https://" + std::string(authority), "certFile and keyFile");
    if (!url) return std::unexpected(url.error());
    if (url->port.empty()) return invalid("must name a port");
    if (!url->path.empty() || !url->query.empty()) {
        return invalid("nothing may follow the port");
    }
    if (!secure && !is_loopback(*url)) {
        return invalid("without TLS only a loopback address is spoken to; use grpcs://");
    }
    PluginEndpoint endpoint{std::string(authority)};
    if (secure) endpoint.tls.emplace();
    return endpoint;
}

}  // namespace

bool is_below(std::string_view path, std::string_view folder) {
    return path.size() > folder.size() + 1 && path.starts_with(folder) &&
           path[folder.size()] == '/';
}

std::optional<std::string> read_sha256(std::string_view text) {
    if (text.size() != sha256_digits) return std::nullopt;
    std::string digits(text);
    for (char& c : digits) {
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return std::nullopt;
    }
    return digits;
}

Result<std::optional<PluginAddress>> read_location(std::string_view text) {
    const auto end = text.find("://");
    if (end == std::string_view::npos) {
        return invalid("must begin with builtin://, file://, unix://, grpc:// or grpcs://");
    }
    const std::string_view scheme = text.substr(0, end);
    const std::string_view rest = text.substr(end + 3);
    if (scheme == "builtin") {
        if (rest == "statefulset") return std::nullopt;
        return invalid("only builtin://statefulset is built in");
    }
    if (scheme == "file") return read_file(rest);
    if (scheme == "unix") return read_socket(rest);
    if (scheme == "grpc" || scheme == "grpcs") return read_port(rest, scheme == "grpcs");
    if (scheme == "http" || scheme == "https") {
        return invalid(
            "plugins are not downloaded; put the program into the image or a volume and name it "
            "with file://, or run it as a server and name it with grpcs://");
    }
    return invalid("knows builtin://, file://, unix://, grpc:// and grpcs://, not " +
                   quoted(scheme));
}

}  // namespace sluice::api::rollout_plugin
