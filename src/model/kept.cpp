#include "model/kept.hpp"

#include "model/annotations.hpp"

namespace sluice::model {

Kept::Kept()
    : annotations{key::claim,
                  key::rollout,
                  key::fence,
                  key::phase,
                  key::reason,
                  key::message,
                  key::unblock,
                  key::since,
                  key::guarantee,
                  key::refused,
                  key::partition_before,
                  key::unstick,
                  key::paused,
                  key::retry,
                  key::promote,
                  key::allow_scale_to_zero,
                  key::allow_unready} {}

Kept::Kept(Names of_labels, Names of_annotations) : Kept() {
    labels = std::move(of_labels);
    annotations.merge(of_annotations);
}

}  // namespace sluice::model
