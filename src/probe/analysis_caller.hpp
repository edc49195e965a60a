// Asks what analyses want to know: lets the Inquirer put questions to Prometheus and to web
// servers, with the Secrets that they name.
//
// Promises: every question ends in exactly one `done`, on the loop, never from inside ask(), unless
// it was cancelled or the caller destroyed; whatever goes wrong on the way, a bound that was met
// among it, is a sentence without a secret. Refuses: hosts that are not allowed, and what the
// Inquirer refuses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/analysis/question.hpp"
#include "api/inquiry/hosts.hpp"
#include "probe/inquirer.hpp"

namespace sluice::probe {

// As for metric checks: many ask, each answer comes soon.
inline constexpr InquiryBounds analysis_bounds{
    .calls_max = 128, .per_namespace_max = 16, .first_places = 64};

class AnalysisCaller {
  public:
    using CallId = std::uint64_t;
    // The time of the answer is left to whoever takes it.
    using Done = std::function<void(api::analysis::MeasurementAnswer)>;

    // `api` must outlive the caller. `allowed` are the hosts that may be asked; empty: any.
    AnalysisCaller(boost::asio::io_context& loop, kube::ApiClient& api, api::HostList allowed,
                   bool allow_local, InquiryBounds bounds = analysis_bounds);

    // Secrets are those of the namespace `ns`.
    CallId ask(const std::string& ns, api::analysis::Question question, Done done);
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
