// The world outside of the cluster, as far as operators reach it: the services that all APIs share,
// and what each API has beside them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/assert.hpp"
#include "sim/world/own_service.hpp"
#include "sim/world/services.hpp"

namespace sluice::sim {

// What came of a question, and what is done once it is heard.
struct Played {
    api::Said said;
    std::function<void()> heard = [] {};
};

class Egress : public Services {
  public:
    explicit Egress(const ApiServer& api);
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    // A question that an operator asks, by the inquiry that its API makes of it.
    Played play(const engine::Question& question, const api::Inquiry& inquiry, Instant now,
                const std::string& asker = {});

    // The service that the row of one API has made.
    template <class Service>
    Service& of() const {
        Service* found = nullptr;
        for (const auto& one : own_)
            if (auto* service = dynamic_cast<Service*>(one.get())) found = service;
        SLUICE_ASSERT(found != nullptr);
        return *found;
    }

  private:
    std::vector<std::unique_ptr<OwnService>> own_;
};

}  // namespace sluice::sim
