// What the tests keep beside annotations of ours.
#pragma once

#include "model/kept.hpp"

namespace sluice::model::testing {

inline Kept kept() {
    return Kept{{"dd-statefulset-pilot"}, {"sts.plus/phasedRollout"}};
}

}  // namespace sluice::model::testing
