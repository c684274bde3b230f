// Every numeric field of a request with every hostile value, over the ZeroMQ door of a real server:
// the request is served or refused with a reason, and the next one gets its usual tokens.
#include "program_fixture.h"
#include "troupe/core/json.h"
#include "zmq_client.h"

#include <zmq.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

namespace troupe::testing {
namespace {

/// A guard against what never ends.
constexpr std::chrono::seconds kNever{60};

/// Fields whose values are numbers, or lists or objects of them, with what stands around the value.
struct Field {
  std::string name;
  std::string before = {};
  std::string after = {};
};

std::vector<Field> fields() {
  std::vector<Field> fields;
  for (const char* name : {"max_tokens",
                           "max_completion_tokens",
                           "n_predict",
                           "min_tokens",
                           "temperature",
                           "dynatemp_range",
                           "dynatemp_exponent",
                           "top_k",
                           "top_p",
                           "min_p",
                           "typical_p",
                           "typ_p",
                           "top_n_sigma",
                           "xtc_probability",
                           "xtc_threshold",
                           "dry_multiplier",
                           "dry_base",
                           "dry_allowed_length",
                           "dry_penalty_last_n",
                           "mirostat",
                           "mirostat_tau",
                           "mirostat_eta",
                           "repetition_penalty",
                           "repeat_penalty",
                           "presence_penalty",
                           "frequency_penalty",
                           "penalty_window",
                           "repeat_last_n",
                           "penalty_last_n",
                           "seed",
                           "logprobs",
                           "n_probs",
                           "top_logprobs",
                           "prompt_logprobs",
                           "n",
                           "best_of",
                           "priority",
                           "timeout_ms",
                           "logit_bias",
                           "stop_token_ids",
                           "allowed_token_ids",
                           "banned_token_ids",
                           "bad_words",
                           "stop",
                           "echo",
                           "ignore_eos",
                           "include_stop_str_in_output",
                           "stream"})
    fields.push_back({name});
  for (const char* name : {"stop_token_ids", "allowed_token_ids", "banned_token_ids"})
    fields.push_back({name, "[", "]"});
  fields.push_back({"logit_bias", "{\"5\":", "}"});
  return fields;
}

const std::vector<std::string>& hostile_values() {
  static const std::vector<std::string> values = {"-9223372036854775808",
                                                  "-1",
                                                  "0",
                                                  "1",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-0.0",
                                                  "0.5",
                                                  "1.5",
                                                  "9007199254740993",
                                                  "9223372036854775807",
                                                  "1e308",
                                                  "5e-324",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "\"5\"",
                                                  "null",
                                                  "true",
                                                  "[]",
                                                  "{}",
                                                  "[-1]",
                                                  "\"\""};
  return values;
}

class RequestGrid : public ProgramTest {
 protected:
  RequestGrid() : context_(zmq_ctx_new()) {}
  ~RequestGrid() override {
    client_.reset();
    zmq_ctx_term(context_);
  }

  void connect(const std::string& endpoint) {
    client_ = std::make_unique<ZmqClient>(context_, endpoint);
  }

  /// Everything that comes of one request, up to its end.
  std::vector<Value> ask(const std::string& json) {
    client_->send_json(json);
    std::vector<Value> events;
    do {
      events.push_back(client_->receive(kNever));
      if (events.back().is_null()) ADD_FAILURE() << "no answer to " << json;
    } while (!events.back().is_null() && events.back().find("event")->as_string() == "tokens");
    return events;
  }

  std::string canary() {
    const auto events = ask(R"({"id":"canary","prompt":"a canary","temperature":0,"max_tokens":4,)"
                            R"("ignore_eos":true})");
    const auto* choices = events.back().find("choices");
    return choices ? to_json(*choices->as_array().at(0).find("token_ids")) : to_json(events.back());
  }

  void* context_;
  std::unique_ptr<ZmqClient> client_;
};

/// Codes of a refusal that blames the request or asks to try again, as a 4xx status does.
bool is_refusal(const std::string& code) {
  static const std::set<std::string> codes = {"invalid_argument", "not_found", "resource_exhausted",
                                              "deadline", "unsupported"};
  return codes.contains(code);
}

TEST_F(RequestGrid, AnyNumberInAnyFieldIsServedOrRefusedAndHarmsNobody) {
  const auto endpoint = "ipc://" + path("door.ipc");
  const auto pipeline =
      chat_pipeline("grid", "plugin = \"zmq\"\nparams = { bind = \"" + endpoint + "\" }",
                    "plugin = \"transformer\"\nparams = { model = \"default\" }");
  Process server({"serve", pipeline, "--model", model()});
  ASSERT_TRUE(server.wait_for("ready", kNever)) << server.err();
  connect(endpoint);
  const auto usual = canary();
  std::size_t served = 0, refused = 0;
  for (const auto& field : fields())
    for (const auto& value : hostile_values()) {
      // Short answers, unless the field says how long they are: those end by their deadline.
      const bool sets_length = field.name.starts_with("max_") || field.name == "n_predict";
      const auto json = R"({"id":"grid","prompt":"some words",)" +
                        std::string(sets_length ? "" : R"("max_tokens":2,)") +
                        (field.name == "timeout_ms" ? "" : R"("timeout_ms":2000,)") + "\"" +
                        field.name + "\":" + field.before + value + field.after + "}";
      SCOPED_TRACE(json);
      const auto end = ask(json).back();
      ASSERT_FALSE(end.is_null());
      if (const auto* error = end.find("error")) {
        EXPECT_TRUE(is_refusal(error->find("code")->as_string())) << to_json(end);
        EXPECT_FALSE(error->find("message")->as_string().empty());
        ++refused;
      } else {
        ++served;
      }
      ASSERT_EQ(canary(), usual);
    }
  std::printf("%zu requests served, %zu refused\n", served, refused);
  EXPECT_GT(served, 0u);
  EXPECT_GT(refused, 0u);
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 0);
}

/// Numeric fields that docs/protocol.md lists are in the grid.
TEST_F(RequestGrid, HoldsEveryFieldThatIsDocumented) {
  std::set<std::string> known;
  for (const auto& field : fields())
    known.insert(field.name);
  const std::set<std::string> not_numeric = {"id",
                                             "messages",
                                             "prompt",
                                             "model",
                                             "tools",
                                             "chat_template_kwargs",
                                             "add_generation_prompt",
                                             "tenant",
                                             "user",
                                             "cache_salt",
                                             "dry_sequence_breakers"};
  std::ifstream file(TROUPE_SOURCE_DIR "/docs/protocol.md");
  std::size_t found = 0;
  for (std::string line; std::getline(file, line) && !line.starts_with("Absent and");) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cell(line.substr(1, line.find('|', 1) - 1));
    for (std::string text; std::getline(cell, text, '`');) {
      if (!std::getline(cell, text, '`')) break;
      EXPECT_TRUE(known.contains(text) || not_numeric.contains(text)) << text;
      ++found;
    }
  }
  EXPECT_GT(found, 20u);
}

}  // namespace
}  // namespace troupe::testing
