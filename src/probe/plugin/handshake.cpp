#include "probe/plugin/handshake.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

namespace sluice::probe {

namespace {

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> parts;
    for (auto at = line.find('|'); at != std::string_view::npos; at = line.find('|')) {
        parts.push_back(line.substr(0, at));
        line.remove_prefix(at + 1);
    }
    parts.push_back(line);
    return parts;
}

std::unexpected<Error> malformed(std::string what) {
    return failure(ErrorKind::Malformed, std::move(what));
}

Result<GrpcPeer> read_place(std::string_view network, std::string_view address) {
    if (network == "unix" && address.starts_with('/')) {
        return GrpcPeer{.unix_socket = std::string(address)};
    }
    if (network == "tcp" && !address.empty()) return GrpcPeer{.authority = std::string(address)};
    return malformed(fmt::format("listens on {} {}, where it cannot be reached", quoted(network),
                                 quoted(address)));
}

}  // namespace

std::vector<net::Variable> handshake_environment(const std::string& folder) {
    return {{std::string(cookie_name), Redacted(std::string(cookie_value))},
            {"PLUGIN_PROTOCOL_VERSIONS", Redacted("1")},
            {"PLUGIN_UNIX_SOCKET_DIR", Redacted(folder)},
            {"TMPDIR", Redacted(folder)},  // where older versions of the library put the socket
            {"PLUGIN_CLIENT_CERT", Redacted("")},
            {"PLUGIN_MULTIPLEX_GRPC", Redacted("")}};
}

Result<GrpcPeer> read_handshake(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string_view> parts = split(line);
    if (parts.size() < 4) {
        return malformed(
            fmt::format("printed {} instead of a handshake; it must be a plugin made "
                        "with go-plugin or the like",
                        quoted(line)));
    }
    if (parts[0] != "1") {
        return malformed(fmt::format("speaks version {} of go-plugin's protocol, Sluice speaks 1",
                                     quoted(parts[0])));
    }
    if (parts[1] != "1") {
        return malformed(fmt::format("speaks version {} of the plugin protocol, Sluice speaks 1",
                                     quoted(parts[1])));
    }
    const std::string_view protocol = parts.size() > 4 ? parts[4] : "netrpc";
    if (protocol != "grpc") {
        return malformed(fmt::format("wants to speak {}, Sluice speaks grpc", quoted(protocol)));
    }
    if (parts.size() > 5 && !parts[5].empty()) {
        return malformed(
            "demands TLS on its socket, which Sluice does not speak to programs that "
            "it starts; turn the plugin's TLS off");
    }
    return read_place(parts[2], parts[3]);
}

}  // namespace sluice::probe
