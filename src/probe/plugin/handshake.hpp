// HashiCorp go-plugin's handshake, as Sluice does it: what a program finds in its environment, and
// the one line that it answers with. See proto/README.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/subprocess.hpp"
#include "probe/plugin/grpc.hpp"

namespace sluice::probe {

inline constexpr std::string_view cookie_name = "SLUICE_PLUGIN_MAGIC";
inline constexpr std::string_view cookie_value = "0f7b1c9e2d6a4583b1e4c07a9d3f5e62";

// `folder` is where the program is to put its socket.
std::vector<net::Variable> handshake_environment(const std::string& folder);

// The line without its end. The Error completes the sentence `<subject> ...`; what a plugin demands
// beyond gRPC without TLS is named in it.
Result<GrpcPeer> read_handshake(std::string_view line);

}  // namespace sluice::probe
