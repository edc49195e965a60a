#include "net/self_signed.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>

namespace sluice::net {
namespace {

struct Free {
    void operator()(X509* cert) const { X509_free(cert); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using Cert = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

constexpr long valid_before = 3600;  // for clocks that are a little behind ours
constexpr long valid_after = 365l * 24 * 3600;

bool add_extension(X509* cert, X509* issuer, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Free> extension(
        X509V3_EXT_conf_nid(nullptr, &context, nid, value));
    return extension && X509_add_ext(cert, extension.get(), -1) == 1;
}

// The top bit of a serial number stays clear: it is a sign.
bool set_random_serial(X509* cert) {
    std::uint64_t serial = 0;
    if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return false;
    return ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), serial >> 1 | 1) == 1;
}

Cert make_cert(const std::string& name, EVP_PKEY* key, X509* issuer) {
    Cert cert(X509_new());
    if (!cert || X509_set_version(cert.get(), 2) != 1 || !set_random_serial(cert.get())) return {};
    X509_NAME* subject = X509_get_subject_name(cert.get());
    const bool made =
        X509_gmtime_adj(X509_getm_notBefore(cert.get()), -valid_before) &&
        X509_gmtime_adj(X509_getm_notAfter(cert.get()), valid_after) &&
        X509_set_pubkey(cert.get(), key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                   0) == 1 &&
        X509_set_issuer_name(cert.get(), issuer ? X509_get_subject_name(issuer) : subject) == 1 &&
        add_extension(cert.get(), cert.get(), NID_subject_key_identifier, "hash");
    return made ? std::move(cert) : Cert{};
}

template <class Write>
std::string written(Write write) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    write(bio.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
}

std::string to_pem(X509* cert) {
    return written([&](BIO* bio) { PEM_write_bio_X509(bio, cert); });
}

std::string to_pem(EVP_PKEY* key) {
    return written([&](BIO* bio) {
        PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
}

Cert make_authority(const std::string& common_name, EVP_PKEY* key) {
    Cert ca = make_cert(common_name + " CA", key, nullptr);
    const bool made =
        ca && add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
        X509_sign(ca.get(), key, EVP_sha256()) > 0;
    return made ? std::move(ca) : Cert{};
}

Cert make_leaf(const std::string& common_name, const std::string& names, EVP_PKEY* key, X509* ca,
               EVP_PKEY* ca_key) {
    Cert leaf = make_cert(common_name, key, ca);
    const bool made = leaf &&
                      add_extension(leaf.get(), ca, NID_basic_constraints, "critical,CA:FALSE") &&
                      add_extension(leaf.get(), ca, NID_key_usage, "critical,digitalSignature") &&
                      add_extension(leaf.get(), ca, NID_ext_key_usage, "serverAuth") &&
                      add_extension(leaf.get(), ca, NID_authority_key_identifier, "keyid") &&
                      add_extension(leaf.get(), ca, NID_subject_alt_name, names.c_str()) &&
                      X509_sign(leaf.get(), ca_key, EVP_sha256()) > 0;
    return made ? std::move(leaf) : Cert{};
}

}  // namespace

Result<SelfSigned> make_self_signed(const std::string& common_name, const std::string& names) {
    const Key ca_key(EVP_EC_gen("P-256"));
    const Key key(EVP_EC_gen("P-256"));
    if (!ca_key || !key) return failure(ErrorKind::Unreadable, "OpenSSL cannot make a key");
    const Cert ca = make_authority(common_name, ca_key.get());
    if (!ca) return failure(ErrorKind::Unreadable, "OpenSSL cannot make a certificate authority");
    const Cert leaf = make_leaf(common_name, names, key.get(), ca.get(), ca_key.get());
    if (!leaf) return failure(ErrorKind::Invalid, "OpenSSL cannot make a certificate for " + names);
    return SelfSigned{to_pem(ca.get()), to_pem(leaf.get()), Redacted{to_pem(key.get())}};
}

}  // namespace sluice::net
