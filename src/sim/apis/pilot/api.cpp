#include "sim/apis/pilot/api.hpp"

#include "sim/apis/pilot/objects.hpp"

namespace sluice::sim::pilot {

Api row() {
    return {.name = "pilot",
            .label = {label, "hook", "careful"},
            .reports_on_set = true,
            .promises = promises,
            .random = &random_part,
            .stories = stories};
}

}  // namespace sluice::sim::pilot
