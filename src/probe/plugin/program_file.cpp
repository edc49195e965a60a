#include "probe/plugin/program_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <expected>
#include <system_error>
#include <vector>

#include "base/assert.hpp"

namespace sluice::probe {

using api::PluginProgram;

namespace {

constexpr std::size_t slice_bytes = 4 << 20;  // about ten milliseconds of hashing

std::unexpected<Error> unreadable(std::string what) {
    return failure(ErrorKind::Unreadable, std::move(what));
}

std::string text_of(int os_error) {
    return std::generic_category().message(os_error);
}

// O_NONBLOCK: a pipe must not hold us up before we can see that it is one.
constexpr int open_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

using Opened = std::expected<net::Fd, int>;  // or an errno

Opened opened_or_errno(int fd) {
    if (fd < 0) return std::unexpected(errno);
    return net::Fd(fd);
}

// The kernel resolves links and makes sure that none leads out of the folder.
Opened open_below(const std::string& folder, const std::string& path) {
    const Opened root = opened_or_errno(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return std::unexpected(root.error());
    open_how how{};
    how.flags = open_flags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const char* inner = path.c_str() + folder.size() + 1;
    return opened_or_errno(
        static_cast<int>(::syscall(SYS_openat2, root->get(), inner, &how, sizeof how)));
}

std::optional<std::string> complaint_about(const struct stat& file) {
    if (!S_ISREG(file.st_mode)) return "is not a file";
    if ((file.st_mode & (S_ISUID | S_ISGID)) != 0) return "would run as another user";
    if ((file.st_mode & S_IWOTH) != 0) return "may be changed by everybody";
    if ((file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return "is not executable";
    return std::nullopt;
}

std::string hex(const std::vector<unsigned char>& bytes) {
    std::string text;
    for (const unsigned char byte : bytes)
        text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

void ProgramFile::FreeDigest::operator()(void* context) const {
    EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

ProgramFile::ProgramFile(net::Fd fd, std::string sha256, Look look)
    : fd_(std::move(fd)), sha256_(std::move(sha256)), look_(look) {
    if (sha256_.empty()) return;
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    digest_.reset(context);
    SLUICE_ASSERT(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1);
}

std::optional<ProgramFile::Look> ProgramFile::look_at(int fd) {
    struct stat file{};
    if (::fstat(fd, &file) != 0) return std::nullopt;
    const auto in_ns = [](const timespec& at) { return at.tv_sec * 1'000'000'000 + at.tv_nsec; };
    return Look{file.st_size, in_ns(file.st_mtim), in_ns(file.st_ctim)};
}

Result<ProgramFile> ProgramFile::open(const PluginProgram& program) {
    Opened opened = program.below.empty()
                        ? opened_or_errno(::open(program.path.c_str(), open_flags))
                        : open_below(program.below, program.path);
    if (!opened && !program.below.empty() && (opened.error() == EXDEV || opened.error() == ELOOP)) {
        return unreadable(fmt::format("is {}, which leads out of {}", program.path, program.below));
    }
    if (!opened) {
        return unreadable(fmt::format("is {}, which cannot be opened: {}", program.path,
                                      text_of(opened.error())));
    }
    net::Fd fd = std::move(*opened);
    struct stat file{};
    if (::fstat(fd.get(), &file) != 0) return unreadable("cannot be looked at");
    if (const auto complaint = complaint_about(file)) {
        return unreadable(fmt::format("is {}, which {}", program.path, *complaint));
    }
    const std::optional<Look> look = look_at(fd.get());
    if (!look) return unreadable("cannot be looked at");
    return ProgramFile(std::move(fd), program.sha256, *look);
}

std::optional<Result<void>> ProgramFile::check_some() {
    if (!digest_) return Result<void>{};
    auto* context = static_cast<EVP_MD_CTX*>(digest_.get());
    std::vector<char> buffer(64 << 10);
    for (std::size_t done = 0; done < slice_bytes;) {
        const ssize_t count = ::pread(fd_.get(), buffer.data(), buffer.size(), offset_);
        if (count < 0) {
            return unreadable(fmt::format("cannot be read: {}", text_of(errno)));
        }
        if (count == 0) {
            std::vector<unsigned char> sum(EVP_MAX_MD_SIZE);
            unsigned size = 0;
            EVP_DigestFinal_ex(context, sum.data(), &size);
            sum.resize(size);
            digest_.reset();
            if (look_at(fd_.get()) != look_) return unreadable("was changed while it was read");
            if (hex(sum) != sha256_) {
                return failure(
                    ErrorKind::Refused,
                    fmt::format("is not started: the SHA-256 of its file is {}, declared "
                                "is {}",
                                hex(sum), sha256_));
            }
            return Result<void>{};
        }
        EVP_DigestUpdate(context, buffer.data(), static_cast<std::size_t>(count));
        offset_ += count;
        done += static_cast<std::size_t>(count);
    }
    return std::nullopt;
}

}  // namespace sluice::probe
