#include "client_requests.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>

#include <ctime>

namespace troupe::zmq_door {
namespace {

TokenEvent event_of(std::string text, std::vector<TokenId> ids, std::int32_t choice = 0) {
  TokenEvent event;
  event.text = std::move(text);
  event.token_ids = std::move(ids);
  event.choice = choice;
  return event;
}

TEST(Collect, JoinsTheEventsOfEachChoiceIntoOneMessage) {
  ClientRequest request;
  request.id = "a";
  EXPECT_FALSE(collect(request, event_of("one", {1}, 1)));
  EXPECT_FALSE(collect(request, event_of("ze", {2, 3}, 0)));
  auto ended = event_of(" more", {4}, 1);
  ended.finish = FinishReason::stop;
  ended.stop_match = "END";
  EXPECT_FALSE(collect(request, ended));
  auto last = event_of("ro", {5}, 0);
  last.finish = FinishReason::length;
  last.last = true;
  const auto message = collect(request, last);
  ASSERT_TRUE(message);
  EXPECT_EQ(to_json(*message->find("choices")),
            R"([{"text":"zero","token_ids":[2,3,5],"finish_reason":"length"},)"
            R"({"text":"one more","token_ids":[1,4],"finish_reason":"stop","stop":"END"}])");
  EXPECT_EQ(message->find("id")->as_string(), "a");
  EXPECT_EQ(message->find("event")->as_string(), "end");
}

TEST(Collect, TakesTimeInProportionToTheEvents) {
  ClientRequest request;
  auto event = event_of(" word", {7});
  event.scores.resize(1);
  event.scores[0].top.resize(20);
  const auto start = std::clock();
  constexpr int kEvents = 20000;
  for (int i = 1; i < kEvents; ++i)
    collect(request, event);
  event.last = true;
  const auto message = collect(request, event);
  // Copies of all that came before would be 4e9 entries: minutes.
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
  const auto& choice = message->find("choices")->as_array().at(0);
  EXPECT_EQ(choice.find("token_ids")->as_array().size(), std::size_t{kEvents});
  EXPECT_EQ(choice.find("logprobs")->as_array().size(), std::size_t{kEvents});
}

TEST(ClientRequests, FindsThoseOfAClientAndOfAConnection) {
  ClientRequests requests;
  const auto add = [&](RequestId request, std::string client, std::string id, ConnectionId by) {
    ClientRequest entry;
    entry.identity = std::move(client);
    entry.id = std::move(id);
    entry.connection = by;
    requests.add(request, std::move(entry));
  };
  add(RequestId{1}, "x", "a", 10);
  add(RequestId{2}, "x", "b", 11);
  add(RequestId{3}, "y", "a", 12);
  EXPECT_EQ(requests.all_of("x").size(), 2u);
  EXPECT_EQ(requests.all_of(ConnectionId{11}), std::vector<RequestId>{RequestId{2}});
  EXPECT_TRUE(requests.all_of(ConnectionId{13}).empty());
  EXPECT_EQ(requests.all().size(), 3u);
  requests.remove(RequestId{2});
  EXPECT_FALSE(requests.contains("x", "b"));
  EXPECT_TRUE(requests.all_of(ConnectionId{11}).empty());
}

}  // namespace
}  // namespace troupe::zmq_door
