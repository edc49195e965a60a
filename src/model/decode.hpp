// Bytes of the API server to values. Total: any byte string gives a value or an Error, nothing
// recurses with the input's depth, and nothing of the input is kept but the fields we use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "model/custom_object.hpp"
#include "model/kept.hpp"
#include "model/pod.hpp"
#include "model/ref.hpp"
#include "model/statefulset.hpp"

namespace sluice::model {

// One that holds settings of ours.
struct ConfigMap {
    ObjectMeta meta;
    Texts data;
    friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

using Object = std::variant<StatefulSet, Pod, ConfigMap, CustomObject>;

const ObjectMeta& meta_of(const Object& object);

// An object that could not be read, and why. Its key is empty if not even that could be.
struct LeftOut {
    ObjectKey key = {};
    std::string why = {};
};

struct ListPage {
    std::vector<Object> items;
    std::string resource_version;
    std::string next;  // the continue token; empty on the last page
    // Custom objects that could not be read: anybody may write those, and one of them must not hide
    // the others. An object of another form spoils the page.
    std::vector<LeftOut> left_out = {};
};

struct Changed {  // ADDED or MODIFIED: what the object is now
    Object object;
};
struct Deleted {
    Object object;
};
struct Bookmark {
    std::string resource_version;
    bool initial_events_end = false;
};
struct WatchFailed {  // an ERROR event: the watch is over
    int code = 0;
    std::string message;
};
using WatchEvent = std::variant<Changed, Deleted, Bookmark, WatchFailed, LeftOut>;

// Holds the parser's buffers, which are reused from call to call, and knows what is to be kept.
class Decoder {
  public:
    explicit Decoder(Kept kept = {});
    ~Decoder();
    Decoder(Decoder&&) noexcept;
    Decoder& operator=(Decoder&&) noexcept;

    // The text is taken by value: the parser wants room behind its end, and uses the text's own.
    Result<Object> object(const Resource& resource, std::string text);
    Result<ListPage> list(const Resource& resource, std::string text);
    Result<WatchEvent> watch_event(const Resource& resource, std::string text);
    // The same, or what can be said of an event that cannot be read.
    WatchEvent watch_event_or_key(const Resource& resource, std::string text);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice::model
