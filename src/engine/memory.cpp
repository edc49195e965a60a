#include "engine/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>

namespace sluice::engine {
namespace {

namespace json = boost::json;

constexpr std::size_t text_max = 2048;
constexpr std::int64_t id_max = 1'000'000'000'000;
constexpr std::int64_t place_max = 1'000;

std::string_view text_at(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string_view{value->get_string()} : "";
}

std::int64_t number_at(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_int64() ? value->get_int64() : -1;
}

// Sixteen hexadecimal digits; anything else matches no template.
std::uint64_t hash_from(std::string_view text) {
    std::uint64_t hash = 0;
    std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    return hash;
}

}  // namespace

std::string encode(const Memory& memory) {
    json::object object;
    object["uid"] = memory.uid;
    object["id"] = memory.id;
    object["revision"] = memory.revision;
    object["template"] = fmt::format("{:016x}", memory.template_hash);
    object["partition"] = memory.partition.value;
    object["open"] = memory.open;
    object["started"] = to_rfc3339(memory.started);
    if (memory.corrected > Instant{}) object["corrected"] = to_rfc3339(memory.corrected);
    object["generation"] = memory.generation;
    if (memory.brake > Partition{}) object["brake"] = memory.brake.value;
    if (memory.retry != 0) object["retry"] = fmt::format("{:016x}", memory.retry);
    if (memory.returning) object["returning"] = true;
    if (memory.failed) object["failed"] = true;
    if (memory.place != 0) object["place"] = memory.place;
    if (memory.list != 0) object["list"] = fmt::format("{:016x}", memory.list);
    if (memory.found) object["found"] = memory.found->value;
    return json::serialize(object);
}

std::optional<Memory> decode_memory(std::string_view text) {
    if (text.empty() || text.size() > text_max) return std::nullopt;
    std::array<unsigned char, 2 * text_max> room;
    json::monotonic_resource resource{room.data(), room.size()};
    boost::system::error_code error;
    const json::value value = json::parse(text, error, &resource);
    if (error || !value.is_object()) return std::nullopt;
    const json::object& object = value.get_object();

    Memory memory;
    memory.uid = text_at(object, "uid");
    memory.id = number_at(object, "id");
    memory.revision = text_at(object, "revision");
    const std::int64_t partition = number_at(object, "partition");
    const json::value* open = object.if_contains("open");
    const auto flag = [&](const char* key) {
        const json::value* value = object.if_contains(key);
        return value && value->is_bool() && value->get_bool();
    };
    const auto started = parse_rfc3339(text_at(object, "started"));
    if (memory.uid.empty() || memory.id < 0 || memory.id > id_max || memory.revision.empty() ||
        partition < 0 || partition > INT32_MAX || !open || !open->is_bool() || !started)
        return std::nullopt;
    memory.partition = Partition{static_cast<std::int32_t>(partition)};
    memory.template_hash = hash_from(text_at(object, "template"));
    memory.open = open->get_bool();
    memory.started = *started;
    memory.corrected = parse_rfc3339(text_at(object, "corrected")).value_or(Instant{});
    memory.generation = number_at(object, "generation");
    memory.brake = Partition{static_cast<std::int32_t>(
        std::clamp<std::int64_t>(number_at(object, "brake"), 0, INT32_MAX))};
    memory.retry = hash_from(text_at(object, "retry"));
    memory.returning = flag("returning");
    memory.failed = flag("failed");
    memory.place =
        static_cast<int>(std::clamp<std::int64_t>(number_at(object, "place"), 0, place_max));
    memory.list = hash_from(text_at(object, "list"));
    const std::int64_t found = number_at(object, "found");
    if (found >= 0 && found < closed_partition.value)
        memory.found = Partition{static_cast<std::int32_t>(found)};
    return memory;
}

}  // namespace sluice::engine
