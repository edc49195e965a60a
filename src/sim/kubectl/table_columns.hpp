// The columns of the real server's tables, kind by kind, and what stands in them.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "sim/api/json.hpp"

namespace sluice::sim {

inline constexpr int wide = 1;  // the priority of what is shown with -o wide only

struct Column {
    std::string_view name;
    json::value (*cell)(const json::object& object, Instant now);
    int priority = 0;
    std::string_view type = "string";
    std::string_view format = "";
};

// By "statefulsets" of "apps": no plural of one group has another one's columns.
using Columns = std::map<std::string_view, std::vector<Column>>;
Columns workload_columns();
Columns other_columns();

}  // namespace sluice::sim
