// A ConfigMap that holds settings of ours.
#pragma once

#include <map>
#include <string>

#include "model/object.hpp"

namespace sluice::model {

struct ConfigMap {
    ObjectMeta meta;
    std::map<std::string, std::string> data;
    friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

}  // namespace sluice::model
