// A process that holds tokens must not leave its memory on somebody's disk when it ends badly.
#pragma once

namespace sluice::net {

// For this process and the programs that it starts. Other processes of the same user can no longer
// look into this one, either.
void forbid_core_dumps();

}  // namespace sluice::net
