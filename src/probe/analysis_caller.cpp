#include "probe/analysis_caller.hpp"

#include <utility>

#include "api/analysis/inquire.hpp"

namespace sluice::probe {

using namespace api::analysis;

namespace {

using Reply = decltype(MeasurementAnswer::what);

Reply to_reply(Result<Finding> finding) {
    if (!finding && finding.error().kind == ErrorKind::Throttled) return NotAsked{};
    if (!finding) return NotMeasured{std::move(finding.error().message)};
    return std::visit([](auto& what) { return Reply{std::move(what)}; }, *finding);
}

}  // namespace

AnalysisCaller::AnalysisCaller(boost::asio::io_context& loop, kube::ApiClient& api,
                               api::HostList allowed, bool allow_local, InquiryBounds bounds)
    : inquirer_(loop, api, "measurement", allow_local, bounds), allowed_(std::move(allowed)) {}

AnalysisCaller::CallId AnalysisCaller::ask(const std::string& ns, Question question, Done done) {
    const bool is_web = std::holds_alternative<WebQuestion>(question.what);
    const Duration deadline = is_web ? longest(std::get<WebQuestion>(question.what))
                                     : longest(std::get<PrometheusQuestion>(question.what));
    std::string key = question.key;
    return inquirer_.ask<Finding>(
        ns, deadline,
        [ns, is_web, question = std::move(question),
         allowed = allowed_](const api::Learnt& learnt) {
            return is_web
                       ? inquire(std::get<WebQuestion>(question.what), ns, allowed, learnt)
                       : inquire(std::get<PrometheusQuestion>(question.what), ns, allowed, learnt);
        },
        [key = std::move(key), done = std::move(done)](Result<Finding> finding) {
            done({key, to_reply(std::move(finding)), {}});
        });
}

}  // namespace sluice::probe
