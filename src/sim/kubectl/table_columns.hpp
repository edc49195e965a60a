// The columns of the real server's tables, kind by kind, and what stands in them.
#pragma once

#include <span>
#include <string_view>

#include "base/time.hpp"
#include "sim/api/json.hpp"
#include "sim/api/resource.hpp"

namespace sluice::sim {

struct Column {
    std::string_view name;
    std::string_view type;
    int priority;  // 0: always; 1: with -o wide
    json::value (*cell)(const json::object& object, Instant now);
    std::string_view format = "";
};

// Of a built-in resource; name and age if it has no columns of its own.
std::span<const Column> columns_of(const Resource& resource);

// The parts of that table; empty for a plural that is not in it.
std::span<const Column> workload_columns(std::string_view plural);
std::span<const Column> other_columns(std::string_view plural);

// What a row says about its object as a whole: of a pod, that it has ended.
json::array row_conditions(const Resource& resource, const json::object& object);

}  // namespace sluice::sim
