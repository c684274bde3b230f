#include "troupe/model/dequantize.h"
#include "troupe/model/gguf/hostile_file.h"
#include "troupe/model/tiny_model.h"
#include "troupe/model/weight_type.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <random>
#include <sstream>
#include <string>

// Whatever one does to a file, it is refused with a message or read as what it then says: never a
// crash, a read outside the file, or much time. The sanitizers of the dev preset watch these tests.
namespace troupe::model::gguf {
namespace {

/// All that a reader can see of a file, so that two readings can be compared.
class Description {
 public:
  explicit Description(const Contents& contents) {
    for (const auto& entry : contents.metadata) {
      text_ << entry.key << '=';
      std::visit([this](const auto& value) { add(value); }, entry.value);
    }
    for (const auto& tensor : contents.tensors)
      add(tensor);
  }

  std::string text() const { return text_.str(); }

 private:
  template <class T>
  void add(const T& value) {
    text_ << value << ' ';
  }

  template <class T>
  void add(const std::vector<T>& values) {
    for (const T value : values)
      add(value);
  }

  void add(const TensorInfo& tensor) {
    std::int64_t rows = 1;
    for (const auto dimension : tensor.shape)
      rows *= dimension;
    const auto columns = tensor.shape.back();
    std::vector<float> row(static_cast<std::size_t>(columns));
    double sum = 0;
    for (std::int64_t i = 0; i < rows / columns; ++i) {
      dequantize_row(tensor.type, tensor.data.data() + i * row_bytes(tensor.type, columns),
                     row.data(), columns);
      for (const auto value : row)
        sum += value;
    }
    text_ << tensor.name << ' ' << to_string(tensor.type) << ' ' << rows << ' ' << sum << ' ';
  }

  std::ostringstream text_;
};

/// The description of a file, or its refusal; reads it twice, at two addresses, and compares.
std::string outcome(std::span<const std::byte> file) {
  const auto once = [&file] {
    const Parsed parsed(file);
    return parsed.contents ? Description(*parsed.contents).text()
                           : parsed.contents.error().message();
  };
  const auto text = once();
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text, once());
  return text;
}

bool is_taken(std::span<const std::byte> file) {
  return Parsed(file).contents.has_value();
}

TEST(GgufMutation, D41RefusesTheFileCutAtEveryByte) {
  const auto file = sound_file();
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(is_taken(std::span(file).first(size))) << "cut after " << size << " bytes";
  EXPECT_TRUE(is_taken(file));
}

TEST(GgufMutation, ReadsOrRefusesEveryValueOfEveryHeaderByte) {
  GgufWriter writer;
  writer.add("k", "text");
  writer.add_array<std::uint32_t>("a", {1, 2});
  writer.add_tensor("t", WeightType::f32, {8}, Bytes(32, std::byte{7}));
  const auto sound = writer.bytes().value();
  const auto header = sound.size() - 32;
  std::size_t taken = 0;
  for (std::size_t at = 0; at < header; ++at)
    for (int change = 1; change < 256; ++change) {
      auto file = sound;
      file[at] ^= static_cast<std::byte>(change);
      const Parsed parsed(file);
      taken += parsed.contents.has_value();
      EXPECT_TRUE(parsed.contents || !parsed.contents.error().message().empty());
    }
  // Changed numbers and letters are other valid files; most of the header is structure.
  EXPECT_GT(taken, 10 * header);
  EXPECT_LT(taken, 128 * header);
}

TEST(GgufMutation, ReadsTheSameTwiceWhateverBitIsFlipped) {
  const auto sound = sound_file();
  const auto header = position_of(sound, std::string(12, '\7'));
  for (std::size_t at = 0; at < header; ++at) {
    auto file = sound;
    file[at] ^= static_cast<std::byte>(1 << (at % 8));
    outcome(file);
  }
}

TEST(GgufMutation, ReadsOrRefusesTinyModelsWithRandomDamage) {
  const auto sound = tiny_model_bytes().value();
  std::mt19937 random(42);
  for (int round = 0; round < 150; ++round) {
    auto file = sound;
    const std::size_t head = round % 2 == 0 ? 512 : 16384;
    for (unsigned i = 0; i < 1 + random() % 4; ++i)
      file[random() % head] = static_cast<std::byte>(random());
    if (round % 5 == 0) file.resize(random() % file.size());
    const Parsed parsed(file);
    if (!parsed.contents) {
      EXPECT_FALSE(parsed.contents.error().message().empty());
    } else {
      EXPECT_FALSE(Description(*parsed.contents).text().empty());
    }
  }
}

TEST(GgufMutation, ReadsOrRefusesFilesWithHostileNumbersAnywhere) {
  const auto sound = sound_file();
  const auto header = position_of(sound, std::string(12, '\7'));
  const std::uint64_t numbers[] = {0,
                                   1,
                                   std::uint64_t{1} << 31,
                                   std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 61,
                                   std::uint64_t{1} << 63,
                                   ~std::uint64_t{0}};
  for (std::size_t at = 0; at + 8 < header; ++at)
    for (const auto number : numbers) {
      auto file = sound;
      patch(file, at, number);
      const Parsed parsed(file);
      if (parsed.contents) Description(*parsed.contents);
    }
}

TEST(GgufMutation, D40ReadsThreeHundredThousandTokensInMilliseconds) {
  GgufWriter writer;
  std::vector<std::string> tokens;
  for (int i = 0; i < 300000; ++i)
    tokens.push_back("token" + std::to_string(i));
  writer.add_array("tokenizer.ggml.tokens", tokens);
  writer.add_array("tokenizer.ggml.scores", std::vector<float>(300000));
  const auto file = writer.bytes().value();
  const auto begin = std::clock();  // processor time: the machine may be busy with other tests
  EXPECT_TRUE(is_taken(file));
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 1) << "about 0.01 in a release build";
}

}  // namespace
}  // namespace troupe::model::gguf
