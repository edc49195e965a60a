#include "base/assert.hpp"

#include <string>
#include <string_view>

namespace sluice {
namespace {

// The file as it is called in the repository, wherever that was when it was compiled.
std::string_view in_repository(std::string_view path) {
    for (const std::string_view top : {"/src/", "/tests/"})
        if (const auto at = path.rfind(top); at != path.npos) return path.substr(at + 1);
    return path;
}

}  // namespace

void fail_assertion(const char* condition, std::source_location where) {
    throw AssertionFailed("assertion failed: " + std::string(condition) + " (" +
                          std::string(in_repository(where.file_name())) + ":" +
                          std::to_string(where.line()) + ")");
}

}  // namespace sluice
