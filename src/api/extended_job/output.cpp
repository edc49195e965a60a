#include "api/extended_job/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/names.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_job {
namespace {

namespace json = boost::json;
using Unusable = OutputAnswer::Unusable;
using Unknown = OutputAnswer::Unknown;

constexpr Duration patience = 1min;
constexpr std::size_t keys_max = 1024;
constexpr std::size_t key_bytes_max = 253;

// Its name, and when it was made.
struct Finished {
    std::string name;
    std::string created;
};

// Whoever may make pods may give them the labels of a Job.
bool is_controlled_by(const std::string& uid, const json::value& pod) {
    const json::value* owners = model::value_at(pod, "/metadata/ownerReferences");
    if (!owners || !owners->is_array()) return false;
    return std::ranges::any_of(owners->get_array(), [&](const json::value& owner) {
        const json::value* controls = model::value_at(owner, "/controller");
        return controls && *controls == true && model::text_at(owner, "/uid") == uid;
    });
}

// Nothing: none has ended that way.
std::optional<Finished> last_of(const std::vector<PodSeen>& pods, const OutputQuestion& asked) {
    std::optional<Finished> last;
    for (const PodSeen& pod : pods) {
        const json::value whole = model::parse_json(pod.json);
        const std::string_view phase = asked.has_succeeded ? "Succeeded" : "Failed";
        if (model::text_at(whole, "/status/phase") != phase) continue;
        if (!is_controlled_by(asked.job_uid, whole)) continue;
        Finished one{std::string{model::text_at(whole, "/metadata/name")},
                     std::string{model::text_at(whole, "/metadata/creationTimestamp")}};
        if (!last || std::tie(one.created, one.name) > std::tie(last->created, last->name))
            last = std::move(one);
    }
    return last;
}

bool is_for_good(const Error& error) {
    return error.kind == ErrorKind::NotFound || error.kind == ErrorKind::TooLarge;
}

// How far one has come.
class Reading {
  public:
    Reading(const OutputQuestion& question, const Learnt& learnt)
        : question_(question), learnt_(learnt) {}

    Move next() const {
        const std::string selector = "job-name=" + question_.job;
        const auto listed = learnt_.pod_lists.find(selector);
        if (listed == learnt_.pod_lists.end()) return NeedPods{selector};
        if (!listed->second) return say(Unknown{listed->second.error().message});
        const auto pod = last_of(*listed->second, question_);
        if (!pod) return say(Unusable{"no pod of the Job is left that could be asked"});
        return next_container(pod->name);
    }

  private:
    template <class What>
    Said say(What what) const {
        return engine::answer_of(OutputAnswer{question_.run, question_.job, std::move(what)});
    }

    Move next_container(const std::string& pod) const {
        std::map<std::string, Values> outputs;
        std::size_t left = outputs_bytes_max;
        for (const std::string& container : question_.containers) {
            const auto log = learnt_.logs.find({pod, container});
            const std::size_t may_print = std::min(output_bytes_max, left);
            if (log == learnt_.logs.end()) return NeedLog{pod, container, may_print};
            if (!log->second && log->second.error().kind == ErrorKind::TooLarge &&
                may_print < output_bytes_max)
                return say(Unusable{fmt::format("its containers printed more than {} KiB together",
                                                outputs_bytes_max >> 10)});
            if (!log->second && is_for_good(log->second.error()))
                return say(Unusable{log->second.error().message});
            if (!log->second) return say(Unknown{log->second.error().message});
            left -= std::min(left, log->second->reveal().size());
            auto values = read_output_text(log->second->reveal());
            if (!values)
                return say(Unusable{
                    fmt::format("the output of container {} {}", container, values.error())});
            outputs.emplace(container, std::move(*values));
        }
        return say(std::move(outputs));
    }

    const OutputQuestion& question_;
    const Learnt& learnt_;
};

}  // namespace

std::expected<Values, std::string> read_output_text(std::string_view text) {
    const json::value whole = model::parse_json(text);
    const json::object* object = whole.if_object();
    if (!object) return std::unexpected("is no JSON object");
    if (object->size() > keys_max)
        return std::unexpected(fmt::format("has more than {} keys", keys_max));
    Values values;
    for (const auto& [key, value] : *object) {
        if (!is_data_key(key) || key.size() > key_bytes_max)
            return std::unexpected("has a key that a Secret cannot have");
        if (!value.is_string()) return std::unexpected("has a value that is no text");
        values.emplace(key, Redacted{std::string{value.get_string()}});
    }
    return values;
}

std::optional<Inquiry> inquire(const engine::Question& question, const Asking& asking) {
    const auto* asked = engine::opened<OutputQuestion>(question);
    if (!asked) return std::nullopt;
    return Inquiry{asking.ns, patience,
                   [what = *asked](const Learnt& learnt) { return Reading{what, learnt}.next(); },
                   [run = asked->run, job = asked->job](const Error& error) {
                       return engine::answer_of(OutputAnswer{run, job, Unknown{error.message}});
                   }};
}

}  // namespace sluice::api::extended_job
