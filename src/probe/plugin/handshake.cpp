#include "probe/plugin/handshake.hpp"

#include <fmt/format.h>

#include <ranges>

#include "base/printable.hpp"

namespace sluice::probe {

namespace {

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
    std::vector<std::string_view> parts;
    for (const auto part : std::views::split(line, '|'))
        parts.emplace_back(part);
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
