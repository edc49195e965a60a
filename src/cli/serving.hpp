// Puts an embedded cluster on the wire: requests in, answers and watches out, and the cluster's
// clock kept in step with ours. Whoever shows no token that it knows is refused (401).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "net/clock.hpp"
#include "net/https_server.hpp"
#include "sim/actors/cluster.hpp"

namespace sluice::cli {

class Serving {
  public:
    // `speed`: how many seconds pass in the cluster while one passes outside.
    Serving(boost::asio::io_context& loop, sim::Cluster& cluster, double speed,
            std::map<std::string, std::string> users_by_token);

    void answer(net::HttpsRequest request, const std::shared_ptr<net::HttpsAnswer>& answer);
    static net::HttpsReply refuse(int status, const std::string& why);

    // Lets happen in the cluster what is due, tells those who watch, and wakes up for what is next.
    void advance();

  private:
    struct Stream {
        sim::Watch watch;
        std::shared_ptr<net::HttpsAnswer> answer;
        Instant ends;  // outside
    };

    Instant cluster_time() const;
    void open_stream(sim::Watch watch, const std::shared_ptr<net::HttpsAnswer>& answer);
    void tell_streams();
    bool tell(Stream& stream);
    void forget_old_changes();
    void wake_for_next();

    sim::Cluster& cluster_;
    double speed_;
    std::map<std::string, std::string> users_by_token_;
    net::Clock clock_;
    Instant started_;          // outside
    Instant cluster_started_;  // inside
    boost::asio::steady_timer wake_;
    std::map<std::uint64_t, Stream> streams_;
    std::uint64_t streams_opened_ = 0;
    std::uint64_t version_to_forget_ = 0;
    Instant next_forgetting_;
};

}  // namespace sluice::cli
