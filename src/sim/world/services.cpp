#include "sim/world/services.hpp"

namespace sluice::sim {

using api::Answer;

void WebServer::set(const std::string& url, std::string document) {
    if (document.empty())
        documents_.erase(url);
    else
        documents_[url] = std::move(document);
}

Result<Answer> WebServer::answer(const api::Ask& ask) const {
    if (mood == Mood::Down) return failure(ErrorKind::Unreachable, "connection refused");
    if (mood == Mood::Slow) return failure(ErrorKind::Timeout, "no answer within the deadline");
    const auto found = documents_.find(ask.url.substr(0, ask.url.find('?')));
    if (found == documents_.end()) return Answer{404, "text/plain", "not found"};
    return Answer{200, "application/json", found->second};
}

}  // namespace sluice::sim
