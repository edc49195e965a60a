#include "kube/pem.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace sluice::kube {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

int no_password(char*, int, int, void*) {
    return 0;
}

template <class Read>
auto read(std::string_view pem, Read read_bio) {
    const std::string_view bounded = pem.substr(0, pem_bytes_max);
    const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(
        BIO_new_mem_buf(bounded.data(), static_cast<int>(bounded.size())), &BIO_free);
    auto* found = read_bio(bytes.get(), nullptr, no_password, nullptr);
    ERR_clear_error();
    return found;
}

Certificate certificate(std::string_view pem) {
    return {read(pem, PEM_read_bio_X509), &X509_free};
}

Key private_key(std::string_view pem) {
    return {read(pem, PEM_read_bio_PrivateKey), &EVP_PKEY_free};
}

}  // namespace

bool holds_certificate(std::string_view pem) {
    return certificate(pem) != nullptr;
}

bool holds_private_key(std::string_view pem) {
    return private_key(pem) != nullptr;
}

bool is_pair(std::string_view cert_pem, std::string_view key_pem) {
    const Certificate cert = certificate(cert_pem);
    const Key key = private_key(key_pem);
    const bool matches = cert && key && X509_check_private_key(cert.get(), key.get()) == 1;
    ERR_clear_error();
    return matches;
}

std::optional<Instant> certificate_expiry(std::string_view cert_pem) {
    const Certificate cert = certificate(cert_pem);
    std::tm utc{};
    if (!cert || ASN1_TIME_to_tm(X509_get0_notAfter(cert.get()), &utc) != 1) return std::nullopt;
    return Instant{std::int64_t{timegm(&utc)} * 1000};
}

}  // namespace sluice::kube
