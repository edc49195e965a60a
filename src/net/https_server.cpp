#include "net/https_server.hpp"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/https_connection.hpp"
#include "net/listen.hpp"

namespace sluice::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// The client lists what it speaks; of that we take HTTP/1.1, and nothing else.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int size, void*) {
    static constexpr unsigned char ours[] = "\x08http/1.1";
    unsigned char* found = nullptr;
    if (SSL_select_next_proto(&found, length, ours, sizeof ours - 1, offered, size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

Result<void> configure(asio::ssl::context& context, const ServerTls& tls) {
    error_code failed;
    const auto unusable = [](const char* what) {
        return failure(ErrorKind::Invalid, std::string{"OpenSSL does not take "} + what);
    };
    SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_alpn_select_cb(context.native_handle(), choose_protocol, nullptr);
    if (context.use_certificate_chain(asio::buffer(tls.cert_pem), failed); failed)
        return unusable("the server's certificate");
    const std::string_view key = tls.key_pem.reveal();
    if (context.use_private_key(asio::buffer(key.data(), key.size()), asio::ssl::context::pem,
                                failed);
        failed)
        return unusable("the server's key");
    if (tls.client_ca_pem.empty()) return {};
    if (context.add_certificate_authority(asio::buffer(tls.client_ca_pem), failed); failed)
        return unusable("the authority of client certificates");
    failed = context.set_verify_mode(asio::ssl::verify_peer, failed);
    return {};
}

}  // namespace

struct HttpsServer::State : std::enable_shared_from_this<State> {
    explicit State(asio::io_context& loop, tcp::acceptor socket)
        : tls(asio::ssl::context::tls_server), acceptor(std::move(socket)), pause(loop) {}

    void accept();
    void forget(const HttpsConnection* connection);
    void stop_accepting();
    void close();
    void finish(std::function<void()> when_done);

    asio::ssl::context tls;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::shared_ptr<HttpsConnection::Owner> owner;
    std::vector<std::shared_ptr<HttpsConnection>> connections;
    std::function<void()> done;
    bool accepting = false;
};

void HttpsServer::State::accept() {
    if (accepting || !acceptor.is_open() || connections.size() >= owner->limits.connections_max)
        return;
    accepting = true;
    acceptor.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
        self->accepting = false;
        if (!self->acceptor.is_open()) return;
        if (!failed) {
            error_code ignored;
            ignored = socket.set_option(tcp::no_delay(true), ignored);
            auto connection =
                std::make_shared<HttpsConnection>(std::move(socket), self->tls, self->owner);
            self->connections.push_back(connection);
            connection->start();
            return self->accept();
        }
        // Out of descriptors, most likely: others have to end first.
        self->pause.expires_after(1s);
        self->pause.async_wait([self](error_code cancelled) {
            if (!cancelled) self->accept();
        });
    });
}

void HttpsServer::State::forget(const HttpsConnection* connection) {
    std::erase_if(connections, [&](const auto& other) { return other.get() == connection; });
    accept();
    if (connections.empty() && done) std::exchange(done, nullptr)();
}

void HttpsServer::State::stop_accepting() {
    error_code ignored;
    ignored = acceptor.close(ignored);
    pause.cancel();
}

void HttpsServer::State::close() {
    stop_accepting();
    done = nullptr;
    for (const auto& connection : std::exchange(connections, {}))
        connection->close();
}

void HttpsServer::State::finish(std::function<void()> when_done) {
    stop_accepting();
    done = std::move(when_done);
    const auto all = connections;
    for (const auto& connection : all)
        connection->finish();
    if (connections.empty() && done) std::exchange(done, nullptr)();
}

Result<std::unique_ptr<HttpsServer>> HttpsServer::open(asio::io_context& loop, Setup setup) {
    auto acceptor = listen(loop, setup.address);
    if (!acceptor) return std::unexpected(acceptor.error());
    auto state = std::make_shared<State>(loop, std::move(*acceptor));
    if (auto configured = configure(state->tls, setup.tls); !configured)
        return std::unexpected(configured.error());
    state->owner = std::make_shared<HttpsConnection::Owner>(
        HttpsConnection::Owner{std::move(setup.handler), std::move(setup.refusal), setup.limits,
                               [weak = std::weak_ptr(state)](const HttpsConnection* connection) {
                                   if (const auto self = weak.lock()) self->forget(connection);
                               }});
    state->accept();
    return std::unique_ptr<HttpsServer>(new HttpsServer(std::move(state)));
}

HttpsServer::HttpsServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpsServer::~HttpsServer() {
    state_->close();
}

std::uint16_t HttpsServer::port() const {
    error_code failed;
    return state_->acceptor.local_endpoint(failed).port();
}

std::size_t HttpsServer::connections() const {
    return state_->connections.size();
}

void HttpsServer::finish(std::function<void()> done) {
    state_->finish(std::move(done));
}

}  // namespace sluice::net
