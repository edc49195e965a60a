// Asks Prometheus: lets the Inquirer fetch the Secrets that a query names and send the question,
// until there is a reading.
//
// Promises: every question ends in exactly one `done`, on the loop, never from inside ask(), unless
// it was cancelled or the caller destroyed; whatever goes wrong on the way, a bound that was met
// among it, is an Unknown reading with a sentence. Refuses: hosts that are not allowed, and what
// the Inquirer refuses.
#pragma once

#include <functional>
#include <string>

#include "api/inquiry/hosts.hpp"
#include "api/metrics/reading.hpp"
#include "engine/probe.hpp"
#include "probe/inquirer.hpp"

namespace sluice::probe {

// More than hooks get, for every rollout asks again and again, and each answer comes soon.
inline constexpr InquiryBounds metric_bounds{
    .calls_max = 128, .per_namespace_max = 16, .first_places = 64};

class MetricCaller {
  public:
    using CallId = Inquirer::CallId;
    using Done = std::function<void(api::metrics::MetricReading)>;

    // `api` must outlive the caller. `allowed` are the hosts that may be asked; empty: any.
    MetricCaller(boost::asio::io_context& loop, kube::ApiClient& api, api::HostList allowed,
                 bool allow_local, InquiryBounds bounds = metric_bounds)
        : inquirer_(loop, api, "metric check", allow_local, bounds), allowed_(std::move(allowed)) {}

    // Secrets are those of the namespace `ns`.
    CallId ask(const std::string& ns, engine::MetricQuery query, Done done);
    // Ends a question without `done`. Unknown ids are ignored.
    void cancel(CallId id) { inquirer_.cancel(id); }
    // As with the Inquirer.
    void forbid(std::shared_ptr<const net::KnownAddresses> addresses) {
        inquirer_.forbid(std::move(addresses));
    }
    // Questions that are being asked, and those that wait for a place.
    std::size_t in_flight() const { return inquirer_.in_flight(); }
    std::size_t waiting() const { return inquirer_.waiting(); }

  private:
    Inquirer inquirer_;
    api::HostList allowed_;
};

}  // namespace sluice::probe
