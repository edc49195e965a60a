// An HTTP/1.1 server over TLS, for requests with bodies and answers that stay open.
//
// Promises: bounded headers, bodies, connections and waiting; keep-alive; Expect: 100-continue;
// a handler that is called on the loop with the whole request, and may answer at once or later.
// What breaks a bound is answered by the refusal that the owner words. HTTP/2 is not offered.
// Refuses to share its port.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace sluice::net {

struct HttpsRequest {
    std::string method;
    std::string target;  // path and query as they came
    std::string authorization;
    std::string content_type;
    std::string accept;
    std::string user_agent;
    std::string body;
    std::string peer;  // the common name in the client's certificate; empty without one
};

struct HttpsReply {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// One answer. Whoever drops it unanswered hangs up on the client. After the client has gone,
// everything here does nothing.
class HttpsAnswer {
  public:
    virtual ~HttpsAnswer() = default;
    virtual void send(HttpsReply reply) = 0;  // the whole answer
    // Or a stream: first what stands before it (and its first piece), then pieces, then the end.
    virtual void open(HttpsReply head) = 0;
    virtual void write(std::string_view piece) = 0;
    virtual void close() = 0;
    // Of an open stream: called once, on the loop, when the client went away or was too slow to
    // take what was written. Not after close().
    std::function<void()> on_gone;
};

struct HttpsLimits {
    std::size_t header_max = 32 << 10;
    std::size_t body_max = 3 << 20;      // what a Kubernetes API server takes
    std::size_t connections_max = 1024;  // a client has a handful, and one for each watch
    std::size_t unsent_max = 64 << 20;   // of one stream; a client that slow has to start over
    Duration handshake_time = 10s;
    Duration request_time = 30s;  // for a request's body to come, and for a reply to go
    Duration idle_time = 3min;    // between requests; longer than Go keeps idle connections
};

struct ServerTls {
    std::string cert_pem;
    Redacted key_pem;
    std::string client_ca_pem = {};  // not empty: clients may show a certificate that it signed
};

class HttpsServer {
  public:
    using Handler = std::function<void(HttpsRequest, std::shared_ptr<HttpsAnswer>)>;
    // How to say 400, 413 and 431: the status and a sentence.
    using Refusal = std::function<HttpsReply(int status, const std::string& why)>;

    struct Setup {
        std::string address;  // as in net/listen.hpp
        ServerTls tls;
        Handler handler;
        Refusal refusal;
        HttpsLimits limits = {};
    };

    static Result<std::unique_ptr<HttpsServer>> open(boost::asio::io_context& loop, Setup setup);
    ~HttpsServer();  // closes every connection at once
    HttpsServer(const HttpsServer&) = delete;
    HttpsServer& operator=(const HttpsServer&) = delete;

    std::uint16_t port() const;
    std::size_t connections() const;
    // Takes nothing new, ends open streams properly, lets replies that are under way go out, and
    // calls `done` when no connection is left.
    void finish(std::function<void()> done);

  private:
    struct State;
    explicit HttpsServer(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace sluice::net
