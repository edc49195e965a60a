#include "cli/kubeconfig_out.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/base64.hpp"

namespace sluice::cli {
namespace {

constexpr const char* first_line = "# Of an embedded cluster: sluice cluster";

std::unexpected<Error> cannot_write(const std::string& path, const std::string& why) {
    return failure(ErrorKind::Unreadable, fmt::format("cannot write {}: {}", path, why));
}

bool is_left_behind(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) && line == first_line;
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

std::string kubeconfig_text(const ClusterAccess& access) {
    return fmt::format(
        "{}\n"
        "apiVersion: v1\n"
        "kind: Config\n"
        "clusters:\n"
        "- name: sluice\n"
        "  cluster:\n"
        "    server: {}\n"
        "    certificate-authority-data: {}\n"
        "users:\n"
        "- name: admin\n"
        "  user:\n"
        "    token: {}\n"
        "- name: operator\n"
        "  user:\n"
        "    token: {}\n"
        "contexts:\n"
        "- name: sluice\n"
        "  context: {{cluster: sluice, user: admin, namespace: default}}\n"
        "- name: sluice-operator\n"
        "  context: {{cluster: sluice, user: operator, namespace: sluice-system}}\n"
        "current-context: sluice\n",
        first_line, access.server, encode_base64(access.ca_pem), access.admin_token.reveal(),
        access.operator_token.reveal());
}

Result<KubeconfigFile> KubeconfigFile::write(const std::string& path, const std::string& text) {
    std::error_code failed;
    const std::string whole = std::filesystem::absolute(path, failed).lexically_normal();
    const auto why = [] { return std::generic_category().message(errno); };
    std::string draft = whole + ".XXXXXX";
    const int file = ::mkostemp(draft.data(), O_CLOEXEC);  // with mode 0600
    if (file < 0) return cannot_write(whole, why());
    struct stat seen{};
    const bool written = write_all(file, text) && ::fstat(file, &seen) == 0;
    const std::string unwritten = written ? "" : why();
    ::close(file);
    bool is_there = written && ::link(draft.c_str(), whole.c_str()) == 0;
    std::string refused = written ? why() : unwritten;
    if (written && !is_there && errno == EEXIST) {
        if (is_left_behind(whole))
            is_there = ::rename(draft.c_str(), whole.c_str()) == 0;
        else
            refused = "there is a file already, which is not of an embedded cluster";
    }
    ::unlink(draft.c_str());
    if (!is_there) return cannot_write(whole, refused);
    return KubeconfigFile{whole, seen.st_ino};
}

KubeconfigFile::KubeconfigFile(KubeconfigFile&& other) noexcept
    : path_(std::move(other.path_)), number_(other.number_) {
    other.path_.clear();
}

KubeconfigFile::~KubeconfigFile() {
    struct stat seen{};
    if (!path_.empty() && ::stat(path_.c_str(), &seen) == 0 && seen.st_ino == number_)
        ::unlink(path_.c_str());
}

}  // namespace sluice::cli
