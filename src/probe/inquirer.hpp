// Carries inquiries out: fetches the pods and Secrets that one names, sends the requests and makes
// the calls that it wants, one thing after another, until it knows its answer.
//
// Promises: every inquiry ends in exactly one `done`, with its answer or with that of `give_up`, on
// the loop, never from inside begin(), unless it was cancelled or the Inquirer destroyed; it lasts
// at most its deadline once it has begun; namespaces take turns, the one with the fewest calls
// under way first; an inquiry that was never begun is given up as Throttled and as nothing else;
// Secrets are read anew for each inquiry and forgotten with it. Refuses: Secrets and pods of
// another namespace (they cannot be named), link-local addresses, and loopback unless local
// addresses were allowed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/inquiry/inquiry.hpp"
#include "kube/api_client.hpp"
#include "probe/plugin/plugin_caller.hpp"

namespace sluice::probe {

class Inquirer {
  public:
    using CallId = std::uint64_t;
    using Done = std::function<void(api::Said)>;

    // `api` and `plugins` must outlive the Inquirer. `subject` is what the sentences speak of:
    // "hook".
    Inquirer(boost::asio::io_context& loop, kube::ApiClient& api, PluginCaller& plugins,
             std::string_view subject, bool allow_local, api::InquiryBounds bounds = {});
    ~Inquirer();
    Inquirer(const Inquirer&) = delete;
    Inquirer& operator=(const Inquirer&) = delete;

    CallId begin(api::Inquiry inquiry, Done done);

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
