// What the answer of an external hook means. Consent is a 2xx without a body, or a 2xx with a
// JSON object whose one `allowed` is true; everything else refuses and says what was wrong.
#pragma once

#include "api/pilot/hooks/hook.hpp"

namespace sluice::api::pilot {

// The message is the hook's own where it gave one, and as it gave it: confined() comes after.
HookVerdict read_external_answer(const Answer& answer);

}  // namespace sluice::api::pilot
