#include "api/inquiry/hosts.hpp"

#include <gtest/gtest.h>

namespace sluice::api {
namespace {

bool allows(const std::string& list, const std::string& url) {
    const Result<HostList> hosts = read_hosts(list);
    EXPECT_TRUE(hosts) << list << ": " << hosts.error().message;
    return hosts && lists(*hosts, read_url(url, "").value());
}

TEST(Hosts, AnEntryStandsForItsHost) {
    EXPECT_TRUE(allows("prom", "http://prom"));
    EXPECT_TRUE(allows("prom", "https://prom:9090/x"));
    EXPECT_TRUE(allows("PROM.", "http://prom"));
    EXPECT_TRUE(allows("prom", "http://Prom."));
    EXPECT_TRUE(allows(" a , prom ", "http://prom"));
    EXPECT_TRUE(allows("10.0.0.1", "http://10.0.0.1"));
    EXPECT_TRUE(allows("[fd00::1]:9090", "http://[fd00::1]:9090"));
    EXPECT_FALSE(allows("prom", "http://prom.evil.test"));
    EXPECT_FALSE(allows("prom", "http://xprom"));
    EXPECT_FALSE(allows("", "http://prom"));
    EXPECT_FALSE(allows("[fd00::1]", "http://[fd00::2]"));
}

TEST(Hosts, APortNarrowsIt) {
    EXPECT_TRUE(allows("prom:9090", "http://prom:9090"));
    EXPECT_FALSE(allows("prom:9090", "http://prom:9091"));
    EXPECT_FALSE(allows("prom:9090", "http://prom"));
    EXPECT_TRUE(allows("prom:80", "http://prom"));
    EXPECT_TRUE(allows("prom:443", "https://prom"));
    EXPECT_FALSE(allows("prom:443", "http://prom"));
}

TEST(Hosts, AStarStandsForNamesBelow) {
    EXPECT_TRUE(allows("*.example.com", "http://a.example.com"));
    EXPECT_TRUE(allows("*.example.com", "http://a.B.Example.com:9090"));
    EXPECT_TRUE(allows("*.example.com:9090", "http://a.example.com:9090"));
    EXPECT_FALSE(allows("*.example.com:9090", "http://a.example.com"));
    EXPECT_FALSE(allows("*.example.com", "http://example.com"));
    EXPECT_FALSE(allows("*.example.com", "http://aexample.com"));
    EXPECT_FALSE(allows("*.example.com", "http://a.example.com.evil.test"));
}

TEST(Hosts, ASchemeNarrowsAnEntry) {
    EXPECT_TRUE(allows("http://prom", "http://prom:9090"));
    EXPECT_FALSE(allows("http://prom", "https://prom"));
    EXPECT_TRUE(allows("https://*.example.com:8443", "https://a.example.com:8443"));
    EXPECT_FALSE(allows("https://*.example.com", "http://a.example.com"));
}

TEST(Hosts, ForSecretsPlainHttpMustBeNamed) {
    const auto tells = [](const char* hosts, const char* url) {
        return lists_for_secrets(read_hosts(hosts).value(), read_url(url, "").value());
    };
    EXPECT_TRUE(tells("prom", "https://prom:9090"));
    EXPECT_FALSE(tells("prom", "http://prom:9090"));
    EXPECT_TRUE(tells("prom, http://prom:9090", "http://prom:9090"));
    EXPECT_FALSE(tells("https://prom, http://other", "http://prom:9090"));
    EXPECT_FALSE(tells("", "https://prom"));
}

TEST(Hosts, WhatIsNoHostIsRefused) {
    for (const std::string entry :
         {"*", "*.", "*.*.com", "a.*.com", "ftp://prom", "http://", "http://prom/x", "prom/x",
          "prom?x", "user@prom", "prom#x", "prom:0", "prom:", "pr om", "*.10.0.0.1", "10.1",
          "fd00::1", "pro\nm"}) {
        const Result<HostList> hosts = read_hosts("ok," + entry);
        EXPECT_FALSE(hosts) << entry;
    }
    EXPECT_FALSE(read_hosts("a,,b"));
    EXPECT_EQ(read_hosts("prom/x").error().message,
              "\"prom/x\" is not a host, host:port, *.domain or http://host:port");
    std::string many = "a";
    for (int i = 0; i < 64; ++i)
        many += ",a";
    EXPECT_EQ(read_hosts(many).error().message, "lists more than 64 hosts");
}

}  // namespace
}  // namespace sluice::api
