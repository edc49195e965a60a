// Unary gRPC on the HTTP/2 that the client speaks: the request around a message, and the message
// or the Error in an answer. Only an answer with gRPC's headers, exactly one uncompressed message
// and the status 0 is one; everything else, trailers that are missing among it, is an Error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "net/http_client.hpp"

namespace sluice::probe {

// Where a plugin listens, ready to be dialled.
struct GrpcPeer {
    std::string unix_socket{};              // or:
    std::string authority{};                // "host:port"
    std::shared_ptr<const net::Tls> tls{};  // null: none, and then only loopback addresses
};

// `method` as in "/sluice.plugin.v1.ResourcePlugin/Init". A timeout of zero is none.
net::HttpRequest grpc_request(const GrpcPeer& peer, std::string_view method,
                              std::string_view message, Duration timeout, std::size_t answer_max);

// The Errors are sentences about `subject`, such as `plugin "queue"`.
Result<std::string> read_grpc_answer(Result<net::HttpResponse> answer, const std::string& subject);

// The five bytes before each message, and the message.
std::string to_grpc_frame(std::string_view message);

}  // namespace sluice::probe
