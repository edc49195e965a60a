// Which labels and annotations of an object are kept when it is read; all others are dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace sluice::model {

// Whoever writes more into one has what is behind this dropped.
inline constexpr std::size_t kept_bytes_max = 2048;

struct Kept {
    using Names = std::set<std::string, std::less<>>;

    Kept();  // annotations of ours, and nothing of anybody else's
    explicit Kept(Names of_labels, Names of_annotations = {});  // and these

    Names labels = {};  // of a StatefulSet; of custom objects all are kept
    Names annotations;
};

}  // namespace sluice::model
