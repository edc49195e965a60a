// Asks hooks: fetches the pods of a transition as they are now, and then does what the hook wants
// to know, one thing after another, until it gives its verdict.
//
// Promises: every call ends in exactly one `done`, on the loop, never from inside call(), unless
// it was cancelled or the caller destroyed; whatever goes wrong on the way is a refusal with a
// sentence; a call lasts at most `deadline` once it has begun; Secrets are read anew for each call
// and forgotten with it. Refuses: pods that are not the ones meant (UID), Secrets of another
// namespace than the StatefulSet's (they cannot be named), link-local addresses, and loopback
// unless local hooks were allowed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "api/pilot/hooks/hook.hpp"
#include "kube/api_client.hpp"

namespace sluice::probe {

struct HookBounds {
    std::size_t calls_max = 32;         // at once; a hung hook takes one place, not all of them
    std::size_t per_namespace_max = 8;  // of those; one tenant's hung hooks hold only their own
    std::size_t waiting_max = 4096;     // behind those; beyond, a call is refused at once
    int steps_max = 16;                 // elasticsearch needs 8: a Secret, 6 requests, its verdict
    std::size_t body_max = 64u << 10;   // of an answer
    Duration deadline = 5min + 30s;     // the longest timeout of a hook, and what surrounds it
};

class HookCaller {
  public:
    using CallId = std::uint64_t;
    using Done = std::function<void(api::pilot::HookVerdict)>;

    // `api` must outlive the caller.
    HookCaller(boost::asio::io_context& loop, kube::ApiClient& api, bool allow_local_hooks,
               HookBounds bounds = {});
    ~HookCaller();
    HookCaller(const HookCaller&) = delete;
    HookCaller& operator=(const HookCaller&) = delete;

    // Of the pods in `transition` only the name and the expected UID count; the rest is fetched.
    CallId call(std::shared_ptr<const api::pilot::HookCatalogue> catalogue,
                api::pilot::Transition transition, Done done);
    // Ends a call without `done`. Unknown ids are ignored.
    void cancel(CallId id);
    // Calls that have begun, and calls that wait for a place.
    std::size_t in_flight() const;
    std::size_t waiting() const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::probe
