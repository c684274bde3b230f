#include "troupe/plugin/registry.h"

#include "troupe/plugin/identity.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>
#include <unistd.h>

namespace troupe {
namespace {
namespace fs = std::filesystem;

const fs::path kPlugins = TROUPE_BINARY_DIR "/tests/plugins";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of plugins made for one test.
class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    std::string name = (fs::temp_directory_path() / "troupe-plugins-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    for (const auto kind : {"sampler", "stage"})
      fs::create_directories(folder_ / kind);
  }
  ~RegistryTest() override { fs::remove_all(folder_); }

  /// Writes a changed copy of the good plugin.
  void put(const std::string& place, const std::function<void(std::string&)>& change) {
    auto bytes = read_file(kPlugins / "sampler" / "good.so");
    change(bytes);
    std::ofstream(folder_ / place, std::ios::binary) << bytes;
  }
  /// Where the identity lies in the good plugin.
  static std::size_t identity_at(const std::string& bytes) {
    return bytes.find(std::string("TROUPE\0\1", 8));
  }

  std::string error(std::string_view name, OperatorKind kind = OperatorKind::sampler) {
    Registry registry({.folders = {folder_}});
    const auto found = registry.find(kind, name);
    return found ? "" : found.error().message();
  }
  void expect_error(std::string_view name, std::string_view part) {
    const auto message = error(name);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  fs::path folder_;
};

TEST_F(RegistryTest, LoadsAPluginAndKeepsItsLibraryWhileItsObjectsLive) {
  std::shared_ptr<Operator> object;
  {
    Registry registry({.folders = {kPlugins}});
    const auto spec = registry.find(OperatorKind::sampler, "good");
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ((*spec)->name, "good");
    object = registry.create(OperatorKind::sampler, "good").value();
  }
  SampledTokens out;
  dynamic_cast<Sampler&>(*object).sample({}, out);
  EXPECT_TRUE(out.tokens.empty());
}

TEST_F(RegistryTest, ListsPluginsByKindSorted) {
  Registry registry({.folders = {kPlugins, folder_}});
  EXPECT_EQ(registry.names(OperatorKind::sampler),
            (std::vector<std::string>{"blocks", "good", "returns_nothing", "throws"}));
  EXPECT_TRUE(registry.names(OperatorKind::stage).empty());
}

TEST_F(RegistryTest, NamesTheNearestPluginWhenThereIsNone) {
  Registry registry({.folders = {kPlugins}});
  const auto found = registry.find(OperatorKind::sampler, "god");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::not_found);
  EXPECT_NE(found.error().message().find("there is no sampler plugin 'god'; did you mean 'good'?"),
            std::string::npos)
      << found.error().message();
  EXPECT_NE(found.error().message().find(kPlugins.string()), std::string::npos);
}

TEST_F(RegistryTest, NeverLeavesItsFoldersForAName) {
  Registry registry({.folders = {kPlugins / "stage"}});
  EXPECT_FALSE(registry.find(OperatorKind::sampler, "../sampler/good"));
}

TEST_F(RegistryTest, TurnsAFactorysFaultsIntoErrorsOfTheirOwn) {
  Registry registry({.folders = {kPlugins}, .create_limit = std::chrono::milliseconds(50)});
  const auto message = [&](std::string_view name) {
    const auto object = registry.create(OperatorKind::sampler, name);
    return object ? "" : object.error().message();
  };
  EXPECT_EQ(message("throws"), "factory of sampler plugin 'throws': it threw: planted fault");
  EXPECT_EQ(message("blocks"),
            "factory of sampler plugin 'blocks': it did not return within 50 ms");
  EXPECT_EQ(message("returns_nothing"),
            "factory of sampler plugin 'returns_nothing': it returned nothing");
  EXPECT_EQ(message("good"), "");
  std::this_thread::sleep_for(
      std::chrono::milliseconds(2100));  // the one that blocked comes back to nobody
}

TEST_F(RegistryTest, RefusesAnotherApiVersionWithBothSides) {
  put("sampler/good.so", [](std::string& bytes) {
    bytes[identity_at(bytes) + offsetof(PluginIdentity, api_version)] = 99;
  });
  expect_error("good", "built for plugin API 99, this program has " + std::to_string(kApiVersion));
}

TEST_F(RegistryTest, RefusesAnotherAbiWithBothSides) {
  put("sampler/good.so",
      [](std::string& bytes) { bytes[identity_at(bytes) + offsetof(PluginIdentity, abi)] = 'X'; });
  expect_error("good", "built with ABI 'X");
  expect_error("good", TROUPE_ABI_ID);
}

TEST_F(RegistryTest, RefusesALibraryUnderAnotherNameOrKind) {
  put("sampler/other.so", [](std::string&) {});
  expect_error(
      "other",
      "the library says it is the sampler plugin 'good'; expected the sampler plugin 'other'");
  put("stage/good.so", [](std::string&) {});
  EXPECT_NE(error("good", OperatorKind::stage)
                .find("says it is the sampler plugin 'good'; expected the stage plugin"),
            std::string::npos);
}

TEST_F(RegistryTest, RefusesALibraryWithoutTheSymbolOrTheSection) {
  put("sampler/good.so", [](std::string& bytes) {
    const auto at = bytes.find(std::string("\0troupe_plugin\0", 15));
    ASSERT_NE(at, std::string::npos);
    bytes[at + 1] = 'x';
  });
  expect_error("good", "the library has no symbol 'troupe_plugin'");
  put("sampler/good.so",
      [](std::string& bytes) { bytes[bytes.rfind(".troupe.plugin") + 1] = 'x'; });
  expect_error("good", "found no section .troupe.plugin");
}

TEST_F(RegistryTest, RefusesWhatIsNoLibrary) {
  std::ofstream(folder_ / "sampler/text.so") << "#!/bin/sh\n";
  expect_error("text", "found no 64-bit ELF shared library for this machine");
  std::ofstream(folder_ / "sampler/empty.so") << "";
  expect_error("empty", "found no 64-bit ELF shared library");
}

/// The identity is read from files that anybody may have put there: every cut and many changed
/// bytes must be refused or read, and nothing else.
TEST_F(RegistryTest, ReadsIdentitiesOfDamagedFilesWithoutHarm) {
  const auto good = read_file(kPlugins / "sampler" / "good.so");
  const auto file = folder_ / "damaged.so";
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    auto bytes = good.substr(0, round % 2 ? random() % good.size() : good.size());
    for (int i = 0; i < 8 && !bytes.empty(); ++i)
      bytes[i < 4 ? random() % std::min<std::size_t>(64, bytes.size()) : random() % bytes.size()] =
          static_cast<char>(random());
    std::ofstream(file, std::ios::binary) << bytes;
    const auto identity = read_identity(file);
    EXPECT_TRUE(identity || !identity.error().message().empty());
  }
}

}  // namespace
}  // namespace troupe
