// Carries inquiries out: fetches the pods and Secrets that one names, sends the requests that it
// wants sent, one thing after another, until it knows its outcome.
//
// Promises: every inquiry ends in exactly one delivery or one `give_up`, on the loop, never from
// inside begin(), unless it was cancelled or the Inquirer destroyed; it lasts at most its deadline
// once it has begun; namespaces take turns, the one with the fewest calls under way first; an
// inquiry that was never begun is given up as Throttled and as nothing else; Secrets are read anew
// for each inquiry and forgotten with it. Refuses: Secrets and pods of another namespace (they
// cannot be named), link-local addresses, and loopback unless local addresses were allowed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api/inquiry/inquiry.hpp"
#include "kube/api_client.hpp"
#include "probe/objects.hpp"

namespace sluice::probe {

struct InquiryBounds {
    std::size_t calls_max = 32;         // at once; a hung peer takes one place, not all of them
    std::size_t per_namespace_max = 8;  // of those; one tenant's hung peers hold only their own
    // Places that only namespaces get which have none: a few tenants whose peers all hang leave
    // these to the others.
    std::size_t first_places = 0;
    std::size_t waiting_max = 512;   // of one namespace; beyond, an inquiry is not begun at all
    int steps_max = 16;              // elasticsearch needs 10: 2 pods, a Secret, 6 requests, end
    Duration deadline = 5min + 30s;  // the longest timeout of a hook, and what surrounds it
};

struct NeedPod {
    std::string name;  // in the namespace of the inquiry
};
// What is known so far. A pod that is needed again is not fetched again.
struct Findings {
    api::Learnt learnt;
    std::map<std::string, Result<PodSeen>> pods;
};
// What an inquiry wants done next; the last one hands its outcome to whoever waits for it.
using Deliver = std::function<void()>;
using Move = std::variant<NeedPod, api::NeedSecret, api::Ask, Deliver>;

struct Inquiry {
    std::string ns;
    Duration deadline;                            // that of the bounds if it is shorter
    std::function<Move(const Findings&)> next;    // pure; called once per step
    std::function<void(const Error&)> give_up{};  // a bound was met before the outcome was known
};

template <class Outcome>
Move to_move(api::Step<Outcome> step, const std::function<void(Outcome)>& done) {
    if (auto* need = std::get_if<api::NeedSecret>(&step)) return std::move(*need);
    if (auto* ask = std::get_if<api::Ask>(&step)) return std::move(*ask);
    return Deliver{[done, outcome = std::get<Outcome>(std::move(step))] { done(outcome); }};
}

class Inquirer {
  public:
    using CallId = std::uint64_t;

    // `api` must outlive the Inquirer. `subject` is what the sentences speak of: "hook".
    Inquirer(boost::asio::io_context& loop, kube::ApiClient& api, std::string subject,
             bool allow_local, InquiryBounds bounds = {});
    ~Inquirer();
    Inquirer(const Inquirer&) = delete;
    Inquirer& operator=(const Inquirer&) = delete;

    CallId begin(Inquiry inquiry);

    // An inquiry that needs no pods. Where a bound was met, `done` gets the Error.
    template <class Outcome>
    CallId ask(std::string ns, Duration deadline,
               std::function<api::Step<Outcome>(const api::Learnt&)> next,
               std::function<void(Result<Outcome>)> done) {
        const std::function<void(Outcome)> known = [done](Outcome outcome) {
            done(std::move(outcome));
        };
        return begin(
            {std::move(ns), deadline,
             [next = std::move(next), known](const Findings& findings) {
                 return to_move<Outcome>(next(findings.learnt), known);
             },
             [done = std::move(done)](const Error& error) { done(std::unexpected(error)); }});
    }

    // Ends an inquiry without a word. Unknown ids are ignored.
    void cancel(CallId id);
    // Addresses that are not to be contacted, beside those that nobody contacts.
    void forbid(std::shared_ptr<const net::KnownAddresses> addresses);
    // Inquiries that have begun, and those that wait for a place.
    std::size_t in_flight() const;
    std::size_t waiting() const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice::probe
