#include "net/core_dumps.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/assert.hpp"

namespace sluice::net {

void forbid_core_dumps() {
    // A core pattern that is a pipe ignores the limit, but not this.
    SLUICE_ASSERT(prctl(PR_SET_DUMPABLE, 0) == 0);
    const rlimit none{0, 0};
    SLUICE_ASSERT(setrlimit(RLIMIT_CORE, &none) == 0);
}

}  // namespace sluice::net
