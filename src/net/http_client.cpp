#include "net/http_client.hpp"

#include <utility>

#include "net/transfers.hpp"

namespace sluice::net {

struct HttpClient::State {
    std::shared_ptr<Transfers> transfers;
};

HttpClient::HttpClient(boost::asio::io_context& loop, std::size_t connections_max)
    : state_(std::make_unique<State>(Transfers::make(loop, connections_max))) {}

HttpClient::~HttpClient() {
    state_->transfers->close();
}

TransferId HttpClient::start(HttpRequest request, Done done) {
    return state_->transfers->start(std::move(request), nullptr, std::move(done));
}

TransferId HttpClient::stream(HttpRequest request, Chunk chunk, Done done) {
    return state_->transfers->start(std::move(request), std::move(chunk), std::move(done));
}

void HttpClient::cancel(TransferId id) {
    // What a cancelled callback had captured may be the owner of this client.
    const std::shared_ptr<Transfers> keep = state_->transfers;
    keep->cancel(id);
}

void HttpClient::drop_connections() {
    state_->transfers->drop_connections();
}

std::size_t HttpClient::in_flight() const {
    return state_->transfers->count();
}

}  // namespace sluice::net
