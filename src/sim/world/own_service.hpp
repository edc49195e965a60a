// What one API asks outside of the cluster, beside the services that all share. Its row in
// sim/apis/registry.hpp makes it; the API's own words, promises and stories find it by its type.
#pragma once

#include <optional>

#include "api/inquiry/inquiry.hpp"
#include "engine/probe.hpp"

namespace sluice::sim {

class OwnService {
  public:
    OwnService() = default;
    OwnService(const OwnService&) = delete;
    OwnService& operator=(const OwnService&) = delete;
    virtual ~OwnService() = default;

    // What it says to any request about this question; nothing: the question is not for it.
    virtual std::optional<Result<api::Answer>> answer(const engine::Question&) const {
        return std::nullopt;
    }
    virtual std::optional<Result<api::PluginAnswer>> call(const api::PluginCall&, Instant) {
        return std::nullopt;
    }
    // Writes down what became of a question, if it was one for it.
    virtual void note(const engine::Question&, const engine::Answer&, Instant) {}
};

}  // namespace sluice::sim
