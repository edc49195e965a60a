// A web server in memory: a document at each URL that somebody sets, and moods like those of a real
// one.
#pragma once

#include <map>
#include <string>

#include "api/inquiry/inquiry.hpp"
#include "base/result.hpp"

namespace sluice::sim {

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

}  // namespace sluice::sim
