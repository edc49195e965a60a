// The transfers of one client: those that wait for a connection, those under way, and the alarms
// that end them. Ends each exactly once. A callback may start and cancel transfers and may destroy
// the client; what libcurl does not allow from inside a callback is done when it has returned.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "net/curl_loop.hpp"
#include "net/http_client.hpp"

namespace sluice::net {

class Transfers : public std::enable_shared_from_this<Transfers> {
  public:
    static std::shared_ptr<Transfers> make(boost::asio::io_context& loop,
                                           std::size_t connections_max);
    Transfers(boost::asio::io_context& loop, std::size_t connections_max);
    ~Transfers();
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    TransferId start(HttpRequest request, HttpClient::Chunk chunk, HttpClient::Done done);
    void cancel(TransferId id);
    void drop_connections();
    // No callback is called any more. The last owner to let go ends the transfers.
    void close();
    std::size_t count() const { return transfers_.size(); }

  private:
    struct Transfer;

    void finish_later(TransferId id, Error why);
    void fill_later();
    void fill();
    void progressed();
    void set_alarm(Transfer& transfer);
    void on_alarm(TransferId id);
    void finish(TransferId id, Result<HttpResponse> result);
    std::unique_ptr<Transfer> take(TransferId id);
    void detach(Transfer& transfer);

    boost::asio::io_context& loop_;
    const std::size_t connections_max_;
    TransferId last_id_ = 0;
    std::size_t active_ = 0;
    bool closed_ = false;
    bool drop_wanted_ = false;
    std::map<TransferId, std::unique_ptr<Transfer>> transfers_;
    std::deque<TransferId> waiting_;                    // in order
    std::vector<std::unique_ptr<Transfer>> cancelled_;  // until libcurl is off the stack
    CurlLoop curl_;
};

}  // namespace sluice::net
