// Outgoing HTTP(S) on libcurl's multi interface, driven by the event loop.
//
// Promises: every request ends in exactly one call of `done`, on the loop, never from inside
// start(); a deadline covers the wait for a connection, name look-up, connect, TLS, headers and
// body; body and headers of a response are bounded; redirects are not followed; nothing is
// decoded; only http and https are spoken; a POST or PATCH is put on the wire at most once; a dead
// connection is noticed within 20 seconds; connections are not shared between TLS identities; one
// of HTTP/2 without TLS carries one request.
// A callback may start and cancel transfers and may destroy the client; it must not throw.
//
// Refuses: addresses that the guard denies, judged after name resolution and before connect, so
// that a name cannot change its mind, and again before a pooled connection is used; a guard
// together with a proxy, for then the proxy resolves; user names in URLs; line breaks in headers; a
// unix socket together with a guard, a proxy or TLS.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "net/known_addresses.hpp"
#include "net/tls.hpp"

namespace sluice::net {

// Which addresses a request may reach, judged on the resolved address.
enum class AddressGuard {
    Any,          // the API server, chosen by the person who started the operator
    NoLocal,      // neither loopback nor link-local nor unspecified nor multicast
    NoLinkLocal,  // loopback allowed (a flag says so); link-local, unspecified, multicast are not
    OnlyLoopback  // this machine and no other: what is said must not cross a network
};

struct Header {
    std::string name;
    Redacted value;
};

enum class HttpVersion { One, Two };

struct HttpRequest {
    std::string method = "GET";
    std::string url{};
    std::vector<Header> headers{};
    std::string body{};
    Duration deadline = 10s;         // zero: none, for streams; then idle_timeout bounds silence
    Duration idle_timeout{0};        // zero: none; otherwise at most this long without a byte
    std::size_t body_max = 1 << 20;  // not applied to streams, which are handed on in chunks
    std::string proxy{};             // empty: none, the environment is not consulted
    AddressGuard guard = AddressGuard::Any;
    std::shared_ptr<const KnownAddresses> forbidden{};  // must not be reached, beside the guard's
    std::shared_ptr<KnownAddresses> servers{};  // where the address that is reached is noted
    std::shared_ptr<const Tls> tls{};           // null: system trust store, verified
    HttpVersion version = HttpVersion::One;     // Two: an answer in another one is an Error
    std::string unix_socket{};                  // dialled in place of the URL's host; empty: none
    std::vector<std::string> wanted{};          // headers and trailers of the answer to be kept
};

struct HttpResponse {
    int status = 0;
    std::string content_type;
    std::string retry_after;                  // as sent; empty if absent
    std::string warning;                      // first Warning header, as sent
    std::string body;                         // empty for streams
    std::map<std::string, std::string> kept;  // those wanted that came; the last of a name counts
};

using TransferId = std::uint64_t;
class Transfers;

class HttpClient {
  public:
    using Done = std::function<void(Result<HttpResponse>)>;
    // A piece of a streamed 2xx body. False stops the transfer: `done` then gets what came so far.
    using Chunk = std::function<bool(std::string_view)>;

    // Each client has a connection pool of its own, of at most `connections_max`; what does not
    // fit waits in order, and the wait counts against the deadline.
    HttpClient(boost::asio::io_context& loop, std::size_t connections_max);
    ~HttpClient();  // outstanding transfers end without a call of `done`
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    TransferId start(HttpRequest request, Done done);
    // For watches: 2xx bodies go to `chunk` as they come; other bodies are collected as usual.
    TransferId stream(HttpRequest request, Chunk chunk, Done done);
    // Ends a transfer without a call of `done`. Unknown ids are ignored.
    void cancel(TransferId id);
    // Closes idle connections, so that the next request dials anew (rotated CA or client key).
    void drop_connections();
    std::size_t in_flight() const;

  private:
    std::shared_ptr<Transfers> transfers_;
};

}  // namespace sluice::net
