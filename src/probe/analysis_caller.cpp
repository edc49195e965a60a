#include "probe/analysis_caller.hpp"

#include <map>
#include <utility>

#include "api/analysis/inquire.hpp"
#include "probe/jobs.hpp"

namespace sluice::probe {

using namespace api::analysis;

namespace {

using Reply = decltype(MeasurementAnswer::what);
using Answered = kube::ApiResult<kube::ApiResponse>;

// Both kinds of calls have ids of their own; the lowest bit tells them apart.
constexpr AnalysisCaller::CallId of_inquiry(std::uint64_t id) {
    return id << 1;
}
constexpr AnalysisCaller::CallId of_job(std::uint64_t id) {
    return (id << 1) | 1;
}

Reply to_reply(Result<Finding> finding) {
    if (!finding && finding.error().kind == ErrorKind::Throttled) return NotAsked{};
    if (!finding) return NotMeasured{std::move(finding.error().message)};
    return std::visit([](auto& what) { return Reply{std::move(what)}; }, *finding);
}

}  // namespace

// What is asked of the API server about Jobs. Callbacks find their call by id and this by weak
// pointer: one that comes late finds nothing.
class AnalysisCaller::Jobs : public std::enable_shared_from_this<AnalysisCaller::Jobs> {
  public:
    Jobs(kube::ApiClient& api, std::size_t calls_max) : api_(api), calls_max_(calls_max) {}

    // Nothing is asked or answered any more. The API client may be gone from now on.
    void close() {
        waiting_.clear();
        for (const auto& [id, call] : std::exchange(calls_, {}))
            api_.cancel(call.transfer);
    }
    std::uint64_t begin(const std::string& ns, std::string key, JobQuestion question, Done done) {
        const std::uint64_t id = ++last_id_;
        waiting_[id] = {ns, std::move(key), std::move(question), std::move(done), 0};
        start_waiting();
        return id;
    }
    void cancel(std::uint64_t id) {
        waiting_.erase(id);
        const auto call = calls_.extract(id);
        if (call) api_.cancel(call.mapped().transfer);
        start_waiting();
    }
    std::size_t in_flight() const { return calls_.size(); }
    std::size_t waiting() const { return waiting_.size(); }

  private:
    struct Call {
        std::string ns;
        std::string key;
        JobQuestion question;
        Done done;
        net::TransferId transfer = 0;
    };
    using React = void (Jobs::*)(std::uint64_t, Call&, Answered);

    // At most so many at a time, so that other requests find a connection; the oldest goes first.
    void start_waiting() {
        while (!waiting_.empty() && calls_.size() < calls_max_) {
            const auto placed = calls_.insert(waiting_.extract(waiting_.begin()));
            const std::uint64_t id = placed.position->first;
            Call& call = placed.position->second;
            if (call.question.act == JobQuestion::Act::Run)
                send(id, create_job(call.ns, std::exchange(call.question.body, {})),
                     &Jobs::created);
            else
                send(id, get_job(call.ns, call.question.name), &Jobs::found);
        }
    }

    void send(std::uint64_t id, kube::ApiRequest request, React react) {
        calls_.at(id).transfer =
            api_.send(std::move(request), [weak = weak_from_this(), id, react](Answered answer) {
                const auto self = weak.lock();
                const auto call = self ? self->calls_.find(id) : decltype(calls_)::iterator{};
                if (!self || call == self->calls_.end()) return;
                ((*self).*react)(id, call->second, std::move(answer));
            });
    }

    static std::string full_name(const Call& call) { return call.ns + "/" + call.question.name; }

    void created(std::uint64_t id, Call& call, Answered answer) {
        if (!answer && answer.error().reason == "AlreadyExists")
            return send(id, get_job(call.ns, call.question.name), &Jobs::found);
        found(id, call, std::move(answer));
    }

    void found(std::uint64_t id, Call& call, Answered answer) {
        const bool is_stop = call.question.act == JobQuestion::Act::Stop;
        if (!answer && is_stop && answer.error().status == 404)
            return end(id, JobSeen{JobSeen::State::Stopped, ""});
        if (!answer && !is_stop && may_pass(answer.error()))
            return end(id, JobSeen{JobSeen::State::Unknown, ""});
        Result<JobFound> job = read_job(full_name(call), answer);
        if (!job) return end(id, NotMeasured{std::move(job.error().message)});
        if (job->controller_uid != call.question.run_uid)
            return end(id, NotMeasured{"Job " + full_name(call) + " belongs to somebody else"});
        if (is_stop)
            return send(id, remove_job(call.ns, call.question.name, job->uid), &Jobs::removed);
        forget(call);
        end(id, std::move(job->seen));
    }

    void removed(std::uint64_t id, Call& call, Answered answer) {
        // A conflict is a Job of that name with another UID: the one that was meant is gone.
        const bool is_gone = answer || answer.error().status == 404 || answer.error().status == 409;
        if (is_gone) return end(id, JobSeen{JobSeen::State::Stopped, ""});
        end(id, NotMeasured{explain_job(full_name(call), answer.error())});
    }

    // The Job of an old measurement goes; if it does not, it goes with the run.
    void forget(const Call& call) {
        if (call.question.retired.empty()) return;
        JobQuestion stop;
        stop.act = JobQuestion::Act::Stop;
        stop.name = call.question.retired;
        stop.run_uid = call.question.run_uid;
        begin(call.ns, "", std::move(stop), [](const MeasurementAnswer&) {});
    }

    void end(std::uint64_t id, Reply reply) {
        auto call = calls_.extract(id);
        start_waiting();
        Done done = std::move(call.mapped().done);
        done({std::move(call.mapped().key), std::move(reply), {}});
    }

    kube::ApiClient& api_;
    const std::size_t calls_max_;
    std::map<std::uint64_t, Call> calls_;
    std::map<std::uint64_t, Call> waiting_;  // ids grow, so the first is the oldest
    std::uint64_t last_id_ = 0;
};

AnalysisCaller::AnalysisCaller(boost::asio::io_context& loop, kube::ApiClient& api,
                               api::HostList allowed, bool allow_local, InquiryBounds bounds)
    : inquirer_(loop, api, "measurement", allow_local, bounds),
      allowed_(std::move(allowed)),
      jobs_(std::make_shared<Jobs>(api, jobs_max)) {}

AnalysisCaller::~AnalysisCaller() {
    jobs_->close();
}

AnalysisCaller::CallId AnalysisCaller::ask(const std::string& ns, Question question, Done done) {
    if (auto* job = std::get_if<JobQuestion>(&question.what))
        return of_job(jobs_->begin(ns, std::move(question.key), std::move(*job), std::move(done)));
    const bool is_web = std::holds_alternative<WebQuestion>(question.what);
    const Duration deadline = is_web ? longest(std::get<WebQuestion>(question.what))
                                     : longest(std::get<PrometheusQuestion>(question.what));
    std::string key = question.key;
    return of_inquiry(inquirer_.ask<Finding>(
        ns, deadline,
        [ns, is_web, question = std::move(question),
         allowed = allowed_](const api::Learnt& learnt) {
            return is_web
                       ? inquire(std::get<WebQuestion>(question.what), ns, allowed, learnt)
                       : inquire(std::get<PrometheusQuestion>(question.what), ns, allowed, learnt);
        },
        [key = std::move(key), done = std::move(done)](Result<Finding> finding) {
            done({key, to_reply(std::move(finding)), {}});
        }));
}

void AnalysisCaller::cancel(CallId id) {
    if (id & 1)
        jobs_->cancel(id >> 1);
    else
        inquirer_.cancel(id >> 1);
}

std::size_t AnalysisCaller::in_flight() const {
    return inquirer_.in_flight() + jobs_->in_flight();
}

std::size_t AnalysisCaller::waiting() const {
    return inquirer_.waiting() + jobs_->waiting();
}

}  // namespace sluice::probe
