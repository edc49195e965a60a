#include "api/metrics/reading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sluice::api::metrics {
namespace {

using Kind = MetricReading::Kind;

// Text of the other side that no message may ever hold.
const std::string canary = "canary-5f1d";

std::string success(const std::string& type, const std::string& result) {
    return R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result +
           "}}";
}
std::string series(const std::string& rest) {
    return R"({"metric":{"__name__":"up","job":")" + canary + R"("},)" + rest + "}";
}
MetricReading read(const std::string& body, int status = 200) {
    const MetricReading reading = read_prometheus_answer({status, "application/json", body});
    EXPECT_EQ(reading.message.find(canary), std::string::npos) << reading.message;
    EXPECT_EQ(reading.kind == Kind::Unknown, !reading.message.empty()) << body;
    return reading;
}
std::string trouble(const std::string& body, int status = 200) {
    const MetricReading reading = read(body, status);
    EXPECT_EQ(reading.kind, Kind::Unknown) << body;
    return reading.message;
}
std::string wrong(const std::string& what) {
    return "Prometheus's answer " + what;
}

const std::string sample = R"("value":[1435781451.781,"1.5"])";

TEST(PrometheusAnswer, AVectorWithAnElementIsData) {
    const MetricReading one = read(success("vector", "[" + series(sample) + "]"));
    EXPECT_EQ(one.kind, Kind::Data);
    EXPECT_EQ(one.value, 1.5);
    EXPECT_EQ(one.series, 1u);
    EXPECT_EQ(one.warnings, 0u);
    const MetricReading two =
        read(success("vector", "[" + series(R"("value":[1,"0"])") + "," + series(sample) + "]"));
    EXPECT_EQ(two.value, 0.0);
    EXPECT_EQ(two.series, 2u);
}

TEST(PrometheusAnswer, AVectorOrMatrixWithoutElementsIsNoData) {
    for (const std::string type : {"vector", "matrix"}) {
        const MetricReading reading = read(success(type, "[]"));
        EXPECT_EQ(reading.kind, Kind::NoData);
        EXPECT_EQ(reading.value, std::nullopt);
        EXPECT_EQ(reading.series, 0u);
    }
}

TEST(PrometheusAnswer, AScalarIsAlwaysData) {
    const MetricReading reading = read(success("scalar", R"([1435781451,"0"])"));
    EXPECT_EQ(reading.kind, Kind::Data);
    EXPECT_EQ(reading.value, 0.0);
    EXPECT_EQ(reading.series, 1u);
}

TEST(PrometheusAnswer, AMatrixIsReadToItsEnd) {
    const std::string good = series(R"("values":[[1,"3"],[2,"4"]])");
    const MetricReading reading = read(success("matrix", "[" + good + "," + good + "]"));
    EXPECT_EQ(reading.kind, Kind::Data);
    EXPECT_EQ(reading.value, 3.0);
    EXPECT_EQ(reading.series, 2u);
    EXPECT_EQ(trouble(success("matrix", "[" + good + "," + series(R"("values":[[1,"x"]])") + "]")),
              wrong("holds a value that is not a number"));
    EXPECT_EQ(trouble(success("matrix", "[" + series(R"("values":[])") + "]")),
              wrong("holds a series without a value"));
    EXPECT_EQ(trouble(success("matrix", "[" + series(R"("values":7)") + "]")),
              wrong("holds a series that is not a list of values"));
}

TEST(PrometheusAnswer, AStringIsNeither) {
    EXPECT_EQ(trouble(success("string", R"([1,")" + canary + "\"]")),
              wrong("is a string, which is neither data nor no data"));
    EXPECT_EQ(trouble(success(canary, "[]")),
              wrong("gives a resultType other than vector, matrix and scalar"));
}

TEST(PrometheusAnswer, NativeHistogramsAreDataWithoutAValue) {
    const std::string histogram = R"([1,{"count":"60","sum":"33","buckets":[[0,"1","2","3"]]}])";
    const MetricReading instant =
        read(success("vector", "[" + series("\"histogram\":" + histogram) + "]"));
    EXPECT_EQ(instant.kind, Kind::Data);
    EXPECT_EQ(instant.value, std::nullopt);
    const MetricReading range =
        read(success("matrix", "[" + series("\"histograms\":[" + histogram + "]") + "]"));
    EXPECT_EQ(range.kind, Kind::Data);
    EXPECT_EQ(range.value, std::nullopt);
    EXPECT_EQ(trouble(success("vector", "[" + series(R"("histogram":[1,"2"])") + "]")),
              wrong("holds a histogram that is not a time and buckets"));
}

TEST(PrometheusAnswer, ValuesAreWhatGoPrints) {
    struct Row {
        std::string text;
        double value;
    };
    for (const Row& row : {Row{"0", 0.0}, Row{"-0", -0.0}, Row{"1e+06", 1e6}, Row{"5e-324", 5e-324},
                           Row{"-1.7976931348623157e+308", -1.7976931348623157e308},
                           Row{"+Inf", HUGE_VAL}, Row{"-Inf", -HUGE_VAL}}) {
        const MetricReading reading = read(success("scalar", "[1,\"" + row.text + "\"]"));
        EXPECT_EQ(reading.value, row.value) << row.text;
    }
    const MetricReading nan = read(success("vector", "[" + series(R"("value":[1,"NaN"])") + "]"));
    EXPECT_EQ(nan.kind, Kind::Data);
    ASSERT_TRUE(nan.value);
    EXPECT_TRUE(std::isnan(*nan.value));
    for (const std::string text :
         {"", " 1", "1 ", "0x1p3", "1e999", "nan", "inf", "Inf", "infinity", "1,5", "--1", "+1",
          "1e", "e", "1.2.3", "one", "NaN(1)"}) {
        EXPECT_EQ(trouble(success("scalar", "[1,\"" + text + "\"]")),
                  wrong("holds a value that is not a number"))
            << text;
    }
    EXPECT_NE(trouble(success("scalar", "[1,\"" + std::string(100'000, '1') + "\"]")), "");
}

TEST(PrometheusAnswer, SamplesHaveExactlyTheirShape) {
    for (const std::string value :
         {"[]", "[1]", R"(["1"])", R"([1,"2",3])", "[1,2]", R"(["1","2"])", R"([null,"2"])",
          "[1,null]", R"({"0":1,"1":"2"})", "7", "null"}) {
        const std::string shape = wrong("holds a sample that is not a time and a value");
        EXPECT_EQ(trouble(success("scalar", value)), shape) << value;
        EXPECT_EQ(trouble(success("vector", "[" + series("\"value\":" + value) + "]")), shape);
        EXPECT_EQ(trouble(success("matrix", "[" + series("\"values\":[" + value + "]") + "]")),
                  shape);
    }
}

TEST(PrometheusAnswer, SeriesHaveExactlyTheirShape) {
    struct Row {
        std::string type, element, what;
    };
    for (const Row& row : {
             Row{"vector", "7", "holds a series that is no object"},
             Row{"vector", "{}", "holds a series without its labels"},
             Row{"vector", "{" + sample + "}", "holds a series without its labels"},
             Row{"vector", R"({"metric":[],)" + sample + "}", "holds a series without its labels"},
             Row{"vector", R"({"metric":{}})", "holds a series that is not one value"},
             Row{"vector", series(sample + R"(,"histogram":[1,{}])"),
                 "holds a series that is not one value"},
             Row{"vector", series(R"("values":[[1,"2"]])"),
                 "holds a series of another type than it says"},
             Row{"matrix", series(sample), "holds a series of another type than it says"},
             Row{"matrix", R"({"metric":{}})", "holds a series without a value"},
             Row{"vector", series(sample + "," + sample), "gives value twice"},
             Row{"vector", series(R"("metric":{},)" + sample), "gives metric twice"},
         }) {
        EXPECT_EQ(trouble(success(row.type, "[" + row.element + "]")), wrong(row.what))
            << row.element;
    }
}

TEST(PrometheusAnswer, TheEnvelopeHasExactlyItsShape) {
    struct Row {
        std::string body, what;
    };
    for (const Row& row : {
             Row{"", "is empty"},
             Row{" \r\n", "is empty"},
             Row{"<html><body>" + canary + "</body></html>", "is not JSON"},
             Row{"{\"status\":\"success\",\"data\":", "is not JSON"},
             Row{success("vector", "[]") + "x", "is not JSON"},
             Row{success("vector", "[]") + success("vector", "[]"), "is not JSON"},
             Row{"{\"status\":\"\xff\"}", "is not JSON"},
             Row{"[]", "is not a JSON object"},
             Row{"null", "is not a JSON object"},
             Row{"{}", "does not say success or error"},
             Row{R"({"status":7})", "does not say success or error"},
             Row{R"({"status":")" + canary + "\"}", "does not say success or error"},
             Row{R"({"status":"success"})", "gives no data"},
             Row{R"({"status":"success","data":null})", "gives data that are no object"},
             Row{R"({"status":"success","data":[]})", "gives data that are no object"},
             Row{R"({"status":"success","data":{"result":[]}})",
                 "gives data without resultType or result"},
             Row{R"({"status":"success","data":{"resultType":"vector"}})",
                 "gives data without resultType or result"},
             Row{success("vector", "null"), "gives a result that is not a list"},
             Row{success("vector", "{}"), "gives a result that is not a list"},
             Row{R"({"status":"error","status":"success","data":{}})", "gives status twice"},
             Row{R"({"status":"success","data":{},"data":{}})", "gives data twice"},
             Row{success("vector", R"([],"result":[7])"), "gives result twice"},
             Row{R"({"status":"success","warnings":"x"})", "gives warnings that are no list"},
             Row{R"({"status":"error","errorType":"bad_data","error":")" + canary + "\"}",
                 "is an error: bad_data, it does not accept the query"},
             Row{R"({"status":"error","errorType":")" + canary + "\"}", "is an error"},
             Row{R"({"status":"error"})", "is an error"},
         }) {
        EXPECT_EQ(trouble(row.body), wrong(row.what)) << row.body;
    }
}

TEST(PrometheusAnswer, WarningsAndInfosAreCounted) {
    std::string body = success("vector", "[" + series(sample) + "]");
    body.pop_back();
    const MetricReading reading =
        read(body + R"(,"warnings":["a",")" + canary + R"("],"infos":["b"],"more":{}})");
    EXPECT_EQ(reading.kind, Kind::Data);
    EXPECT_EQ(reading.warnings, 3u);
    EXPECT_EQ(read(body + R"(,"warnings":null})").warnings, 0u);
}

TEST(PrometheusAnswer, NoDataWithAWarningMayBeIncomplete) {
    std::string body = success("vector", "[]");
    body.pop_back();
    EXPECT_EQ(trouble(body + R"(,"warnings":["store 10.0.0.1 unavailable"]})"),
              wrong("is empty and comes with a warning, so it may be incomplete"));
    EXPECT_EQ(trouble(body + R"(,"warnings":["PromQL info: x", {}]})"),
              wrong("is empty and comes with a warning, so it may be incomplete"));
    // These speak of the query, not of the data.
    EXPECT_EQ(read(body + R"(,"warnings":["PromQL warning: x","PromQL info: y"]})").kind,
              Kind::NoData);
    EXPECT_EQ(read(body + R"(,"infos":["anything"]})").kind, Kind::NoData);
    EXPECT_EQ(read(body + R"(,"warnings":[]})").kind, Kind::NoData);
}

TEST(PrometheusAnswer, AnyStatusButOkIsUnknown) {
    struct Row {
        int status;
        std::string body, message;
    };
    const std::string error = R"({"status":"error","error":")" + canary + R"(","errorType":)";
    for (const Row& row : {
             Row{302, "", "Prometheus answered HTTP 302; redirects are not followed"},
             Row{400, error + "\"bad_data\"}",
                 "Prometheus answered HTTP 400: bad_data, it does not accept the query"},
             Row{422, error + "\"execution\"}",
                 "Prometheus answered HTTP 422: execution, the query failed"},
             Row{503, error + "\"timeout\"}",
                 "Prometheus answered HTTP 503: timeout, the query took it too long"},
             Row{500, error + "\"internal\"}", "Prometheus answered HTTP 500: internal"},
             Row{500, error + "\"" + canary + "\"}", "Prometheus answered HTTP 500"},
             Row{401, canary, "Prometheus answered HTTP 401; it wants other credentials"},
             Row{403, canary, "Prometheus answered HTTP 403"},
             Row{404, "404 page not found",
                 "Prometheus answered HTTP 404; its API is looked for at /api/v1/query below the "
                 "url"},
             Row{204, "", "Prometheus answered HTTP 204"},
             Row{201, success("vector", "[]"), "Prometheus answered HTTP 201"},
             Row{500, success("scalar", R"([1,"2"])"), "Prometheus answered HTTP 500"},
         }) {
        EXPECT_EQ(trouble(row.body, row.status), row.message);
    }
}

TEST(PrometheusAnswer, SizesAreBounded) {
    const auto many = [](std::size_t count) {
        std::string list;
        for (std::size_t i = 0; i < count; ++i)
            list += (i == 0 ? "" : ",") + std::string(R"({"metric":{},"value":[1,"2"]})");
        return success("vector", "[" + list + "]");
    };
    EXPECT_EQ(read(many(10'000)).series, 10'000u);
    EXPECT_EQ(trouble(many(10'001)), wrong("holds more than 10000 series"));

    const std::string good = success("vector", "[]");
    EXPECT_EQ(read(good + std::string((1u << 20) - good.size(), ' ')).kind, Kind::NoData);
    EXPECT_EQ(trouble(good + std::string((1u << 20) - good.size() + 1, ' ')),
              wrong("is longer than 1 MiB"));

    for (const std::size_t depth : {40u, 100'000u, 500'000u}) {
        EXPECT_EQ(trouble(std::string(depth, '[') + std::string(depth, ']')), wrong("is not JSON"));
        EXPECT_EQ(trouble(std::string(depth, '[')), wrong("is not JSON"));
    }
    EXPECT_EQ(trouble(R"({"status":)" + std::string(1'000'000, '9') + "}"), wrong("is not JSON"));
}

std::string every_feature() {
    return R"({"status":"success","warnings":["w"],"infos":[],"data":{"resultType":"vector",)"
           R"("result":[{"metric":{"a":"\u00fc\n"},"value":[1.5e3,"-2.5"]},)"
           R"({"metric":{},"histogram":[1,{"count":"1","sum":"2"}]}]}})";
}

TEST(PrometheusAnswer, ATruncatedAnswerIsNeverAnAnswer) {
    const std::string whole = every_feature();
    ASSERT_EQ(read(whole).kind, Kind::Data);
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_EQ(read(whole.substr(0, length)).kind, Kind::Unknown) << length;
}

TEST(PrometheusAnswer, FlippedBytesGiveAReadingOrASentence) {
    const std::string whole = every_feature();
    for (const int status : {200, 400}) {
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string bent = whole;
                bent[at] = static_cast<char>(byte);
                const MetricReading reading = read(bent, status);
                EXPECT_LE(reading.series, 2u);
                EXPECT_NE(reading.kind, Kind::NoData) << bent;
                if (status == 400) EXPECT_EQ(reading.kind, Kind::Unknown);
            }
        }
    }
}

TEST(PrometheusAnswer, DroppedAndDoubledPiecesGiveAReadingOrASentence) {
    const std::string whole = every_feature();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const std::size_t length : {1u, 2u, 7u, 30u}) {
            std::string less = whole;
            less.erase(at, length);
            read(less);
            std::string more = whole;
            more.insert(at, whole.substr(at, length));
            read(more);
        }
    }
}

TEST(PrometheusAnswer, SaysWhetherTheUserHasToChangeSomething) {
    const auto error = [](const std::string& type) {
        return R"({"status":"error","errorType":")" + type + R"(","error":"x"})";
    };
    for (const int status : {200, 400, 422})
        EXPECT_TRUE(read(error("bad_data"), status).misconfigured) << status;
    for (const int status : {401, 403})
        EXPECT_TRUE(read("no", status).misconfigured) << status;
    for (const std::string type : {"timeout", "execution", "internal", "unavailable", "strange"})
        EXPECT_FALSE(read(error(type), 422).misconfigured) << type;
    for (const int status : {200, 302, 400, 404, 429, 500, 502, 503, 504})
        EXPECT_FALSE(read("<html>", status).misconfigured) << status;
    EXPECT_FALSE(read(R"({"status":"success","errorType":"bad_data"})").misconfigured);
    EXPECT_FALSE(read(success("vector", "[]")).misconfigured);
}

}  // namespace
}  // namespace sluice::api::metrics
