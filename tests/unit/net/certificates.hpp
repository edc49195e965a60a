// Certificates made in memory, for tests: an authority and what it signs.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>
#include <string>

namespace sluice::net::testing {

struct Free {
    void operator()(X509* cert) const { X509_free(cert); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using Cert = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

struct Pem {
    std::string cert;
    std::string key;
};

inline std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
}

inline std::string to_pem(X509* cert) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), cert);
    return text_of(bio.get());
}

// `pass_phrase` null: not encrypted.
inline std::string to_pem(EVP_PKEY* key, const char* pass_phrase = nullptr) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PKCS8PrivateKey(bio.get(), key, pass_phrase ? EVP_aes_128_cbc() : nullptr,
                                  nullptr, 0, nullptr, const_cast<char*>(pass_phrase));
    return text_of(bio.get());
}

inline void add_extension(X509* cert, X509* issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
}

inline Cert make_cert(const std::string& name, EVP_PKEY* key, X509* issuer, long valid_seconds) {
    static std::atomic<long> serial = 1;
    Cert cert(X509_new());
    X509_set_version(cert.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()), -7 * 24 * 3600);
    X509_gmtime_adj(X509_getm_notAfter(cert.get()), valid_seconds);
    X509_set_pubkey(cert.get(), key);
    X509_NAME* subject = X509_get_subject_name(cert.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(cert.get(), issuer ? X509_get_subject_name(issuer) : subject);
    return cert;
}

class Authority {
  public:
    explicit Authority(const std::string& name = "test CA")
        : key_(EVP_EC_gen("P-256")), cert_(make_cert(name, key_.get(), nullptr, 24 * 3600)) {
        add_extension(cert_.get(), cert_.get(), NID_basic_constraints, "critical,CA:TRUE");
        X509_sign(cert_.get(), key_.get(), EVP_sha256());
    }

    std::string pem() const { return to_pem(cert_.get()); }

    // `names` as in "DNS:prom.test,IP:127.0.0.1"; empty: none.
    Pem issue(const std::string& name, const std::string& names,
              long valid_seconds = 24 * 3600) const {
        const Key key(EVP_EC_gen("P-256"));
        const Cert cert = make_cert(name, key.get(), cert_.get(), valid_seconds);
        if (!names.empty()) add_extension(cert.get(), cert_.get(), NID_subject_alt_name, names);
        X509_sign(cert.get(), key_.get(), EVP_sha256());
        return {to_pem(cert.get()), to_pem(key.get())};
    }

  private:
    Key key_;
    Cert cert_;
};

}  // namespace sluice::net::testing
