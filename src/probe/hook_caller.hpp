// Asks hooks: fetches the pods of a transition as they are now, and then lets the Inquirer do what
// the hook wants to know, until it gives its verdict.
//
// Promises: every call ends in exactly one `done`, on the loop, never from inside call(), unless
// it was cancelled or the caller destroyed; whatever goes wrong on the way is a refusal with a
// sentence. Refuses: pods that are not the ones meant (UID), and what the Inquirer refuses.
#pragma once

#include <functional>
#include <memory>

#include "api/pilot/hooks/hook.hpp"
#include "probe/inquirer.hpp"

namespace sluice::probe {

using HookBounds = InquiryBounds;
inline constexpr HookBounds hook_bounds{
    .calls_max = 64, .per_namespace_max = 8, .first_places = 32};

class HookCaller {
  public:
    using CallId = Inquirer::CallId;
    using Done = std::function<void(api::pilot::HookVerdict)>;

    // `api` must outlive the caller.
    HookCaller(boost::asio::io_context& loop, kube::ApiClient& api, bool allow_local_hooks,
               HookBounds bounds = hook_bounds)
        : inquirer_(loop, api, "hook", allow_local_hooks, bounds), deadline_(bounds.deadline) {}

    // Of the pods in `transition` only the name and the expected UID count; the rest is fetched.
    CallId call(std::shared_ptr<const api::pilot::HookCatalogue> catalogue,
                api::pilot::Transition transition, Done done);
    // Ends a call without `done`. Unknown ids are ignored.
    void cancel(CallId id) { inquirer_.cancel(id); }
    // As with the Inquirer.
    void forbid(std::shared_ptr<const net::KnownAddresses> addresses) {
        inquirer_.forbid(std::move(addresses));
    }
    // Calls that have begun, and calls that wait for a place.
    std::size_t in_flight() const { return inquirer_.in_flight(); }
    std::size_t waiting() const { return inquirer_.waiting(); }

  private:
    Inquirer inquirer_;
    Duration deadline_;
};

}  // namespace sluice::probe
