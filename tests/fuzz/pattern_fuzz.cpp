#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    sluice::fuzz::try_pattern({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
