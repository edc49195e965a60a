// The controller's effects as requests to the API server, and the answers as its inputs. Pure: the
// operator and the simulator carry the requests out, and neither knows what they say.
//
// Promises: any answer leads to another request or to exactly one input, of an event to none, and a
// chain of requests ends; what fails is handed on with its status, and the controller says what
// that means. An object that cannot be read and that anybody may write is left out of a list, with
// a warning; any other spoils the answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/effect.hpp"
#include "model/decode.hpp"
#include "wire/request.hpp"

namespace sluice::wire {

struct Next;

// One request, and what its answer means.
struct Call {
    Request request;
    std::function<Next(Answer)> read;
};
struct Next {
    std::optional<Call> call = {};                // more must be known
    std::optional<controller::Input> input = {};  // otherwise; nothing: nobody waits for it
    std::vector<std::string> warnings = {};
};

// Outlives its calls.
class Caller {
  public:
    // `identity`: in whose name events are told.
    explicit Caller(std::string identity, model::Kept kept = {})
        : identity_(std::move(identity)), decoder_(std::move(kept)) {}

    Next begin(const controller::StartList& effect);
    Next begin(const controller::ReadWorkload& effect);
    Next begin(const controller::Write& effect);
    Next begin(const controller::PostEvent& effect);

    model::Decoder& decoder() { return decoder_; }

  private:
    struct Reading;
    Call get_set(std::shared_ptr<Reading> reading);
    Call list_pods(std::shared_ptr<Reading> reading, const std::string& next);
    Next take_pods(const std::shared_ptr<Reading>& reading, model::ListPage page);
    Next get_objects(std::shared_ptr<Reading> reading);

    std::string identity_;
    model::Decoder decoder_;
};

// The bytes of one watch as events. Bytes may come in any pieces; an event is read only when its
// line is whole, and a line longer than the bound is an error, for no object is that large. The
// decoder, which keeps room for the largest of them, is shared by all watches, and must outlive
// them.
class WatchReader {
  public:
    static constexpr std::size_t line_max = 8u << 20;

    WatchReader(const model::Resource& resource, model::Decoder& decoder)
        : resource_(&resource), decoder_(&decoder) {}

    // The events that these bytes complete. An error ends the watch.
    Result<std::vector<model::WatchEvent>> read(std::string_view bytes);

  private:
    const model::Resource* resource_;
    std::string partial_;
    model::Decoder* decoder_;
};
// Of the events those that could not be read, for a person.
std::vector<std::string> warnings_of(const std::vector<model::WatchEvent>& events);
// How a watch ended that could not be read, or that the server refused.
runtime::RequestFailure broken_watch(const model::Resource& resource, const Error& error);
runtime::RequestFailure failed_watch(const model::Resource& resource,
                                     runtime::RequestFailure failure);

}  // namespace sluice::wire
