// What may stand outside of the cluster beside a Prometheus: a web server in memory, and what one
// API asks for itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/inquiry/inquiry.hpp"
#include "base/result.hpp"
#include "engine/probe.hpp"

namespace sluice::sim {

// A document at each URL that somebody sets, and moods like those of a real server.
class WebServer {
  public:
    enum class Mood { Well, Down, Slow } mood = Mood::Well;

    // JSON, as it is sent; an empty text takes the document away.
    void set(const std::string& url, std::string document);
    // Any method; what stands behind a "?" makes no difference.
    Result<api::Answer> answer(const api::Ask& ask) const;

  private:
    std::map<std::string, std::string> documents_;
};

// The row of an API in sim/apis/registry.hpp makes its own service; the API's words, promises and
// stories find it by its type.
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
