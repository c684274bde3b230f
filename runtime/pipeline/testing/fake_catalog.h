#pragma once
#include "troupe/plugin/catalog.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::pipeline::testing {

/// A catalog of descriptions without libraries behind them: for checks, which create nothing.
class FakeCatalog : public Catalog {
 public:
  /// The plugins that the shipped pipelines name, with some parameters of every type.
  FakeCatalog() {
    add(OperatorKind::ingress, "embed", {});
    add(OperatorKind::ingress, "zmq",
        {{"bind", ParamType::text, "\"tcp://127.0.0.1:5555\"", "where to listen"}});
    add(OperatorKind::ingress, "jsonl",
        {{"input", ParamType::text, "", "file to read requests from"},
         {"output", ParamType::text, "", "file to write results to"}});
    add(OperatorKind::stage, "chat_template", {kModel});
    add(OperatorKind::stage, "guard",
        {{"refuse", ParamType::text_list, "[]", "words that refuse a request"},
         {"redact", ParamType::text_list, "[]", "words to strike out"}},
        true);
    add(OperatorKind::tokenizer, "bpe", {kModel}, true);
    add(OperatorKind::scheduler, "continuous",
        {{"max_batch_tokens", ParamType::integer, "512", "tokens of one step", "tokens", 1, 65536},
         {"prefill_chunk", ParamType::integer, "256", "longest piece of a prompt in one step",
          "tokens", 1, 65536},
         {"max_num_seqs", ParamType::integer, "64", "sequences that run at once", "sequences", 1,
          4096}});
    add(OperatorKind::kv_cache, "paged",
        {{"num_blocks", ParamType::integer, "0", "0 = all that the executor has", "blocks", 0}});
    add(OperatorKind::executor, "transformer",
        {kModel,
         {"device", ParamType::text, "\"cpu\"", "where the model runs", "", {}, {}, "cpu|cuda"},
         {"threads", ParamType::integer, "0", "0 = one for each core", "threads", 0, 1024},
         {"kv_bytes", ParamType::integer, "1073741824", "memory for the KV cache", "bytes", 1}});
    add(OperatorKind::executor, "null", {});
    add(OperatorKind::sampler, "gumbel",
        {{"floor", ParamType::number, "0.0", "smallest probability kept", "", 0, 1},
         {"check_rows", ParamType::boolean, "true", "refuse rows with NaN"}},
        true);
    add(OperatorKind::sampler, "greedy", {}, true);
    add(OperatorKind::drafter, "ngram", {});
    add(OperatorKind::router, "by_model",
        {{"models", ParamType::text_list, "[]", "model=operator each"},
         {"default", ParamType::text, "\"\"", "model of requests that name none"}});
    add(OperatorKind::router, "least_loaded", {});
  }

  void add(OperatorKind kind, std::string name, std::vector<ParamSpec> params,
           bool stateless = false) {
    auto entry = std::make_unique<Entry>();
    entry->name = std::move(name);
    entry->params = std::move(params);
    entry->spec = {
        kind,           entry->name, "a fake", "", entry->params, {.stateless = stateless},
        ports_of(kind), nullptr};
    entries_.push_back(std::move(entry));
  }

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override {
    if (name == "from_the_future")
      return fail(ErrorCode::incompatible, "from_the_future.so: built for API 2; this is API 1");
    for (const auto& entry : entries_)
      if (entry->spec.kind == kind && entry->name == name) return &entry->spec;
    return fail(ErrorCode::not_found, "there is no such plugin");
  }

  std::vector<std::string> names(OperatorKind kind) const override {
    std::vector<std::string> names;
    for (const auto& entry : entries_)
      if (entry->spec.kind == kind) names.push_back(entry->name);
    std::ranges::sort(names);
    return names;
  }

  Result<std::shared_ptr<Operator>> create(OperatorKind, std::string_view) const override {
    return fail(ErrorCode::internal, "a check creates nothing");
  }

 private:
  static constexpr ParamSpec kModel{"model", ParamType::text, "\"default\"",
                                    "the [model.NAME] table"};
  struct Entry {
    std::string name;
    std::vector<ParamSpec> params;
    OperatorSpec spec{};
  };
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace troupe::pipeline::testing
