#include "troupe/plugin/identity.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <string>
#include <vector>

namespace troupe {
namespace {

constexpr std::string_view kSection = ".troupe.plugin";
constexpr std::uint64_t kMostSections = 4096;

/// Reads parts of a file whose every offset and size is compared with its length first.
class BoundedFile {
 public:
  explicit BoundedFile(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    stream_.seekg(0, std::ios::end);
    size_ = stream_ ? static_cast<std::uint64_t>(stream_.tellg()) : 0;
  }
  bool is_open() const { return stream_.is_open(); }

  bool read(std::uint64_t offset, void* to, std::uint64_t count) {
    if (offset > size_ || count > size_ - offset) return false;
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    return static_cast<bool>(stream_);
  }

  std::uint64_t size() const { return size_; }

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

bool is_library_of_this_machine(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_type == ET_DYN &&
#if defined(__x86_64__)
         header.e_machine == EM_X86_64;
#else
         header.e_machine == EM_AARCH64;
#endif
}

/// The section header called `name`, if the file has one.
bool find_section(BoundedFile& file, const Elf64_Ehdr& header, std::string_view name,
                  Elf64_Shdr& found) {
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMostSections ||
      header.e_shstrndx >= header.e_shnum)
    return false;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!file.read(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr)))
    return false;
  const Elf64_Shdr& strings = sections[header.e_shstrndx];
  if (strings.sh_size > file.size()) return false;
  std::string names(strings.sh_size, '\0');
  if (!file.read(strings.sh_offset, names.data(), names.size())) return false;
  for (const auto& section : sections) {
    if (section.sh_name >= names.size()) continue;
    if (std::string_view(names.c_str() + section.sh_name) != name) continue;
    found = section;
    return true;
  }
  return false;
}

bool is_text(const char* field, std::size_t room) {
  return std::memchr(field, '\0', room) != nullptr;
}

}  // namespace

Result<PluginIdentity> read_identity(const std::filesystem::path& library) {
  BoundedFile file(library);
  if (!file.is_open()) return fail(ErrorCode::not_found, library.string() + ": cannot be opened");
  Elf64_Ehdr header;
  if (!file.read(0, &header, sizeof header) || !is_library_of_this_machine(header))
    return fail(ErrorCode::incompatible,
                library.string() +
                    ": found no 64-bit ELF shared library for this machine; expected a plugin");
  Elf64_Shdr section;
  PluginIdentity identity;
  if (!find_section(file, header, kSection, section) || section.sh_size < sizeof identity ||
      !file.read(section.sh_offset, &identity, sizeof identity))
    return fail(ErrorCode::incompatible, library.string() + ": found no section " +
                                             std::string(kSection) +
                                             "; expected a library that uses TROUPE_PLUGIN once");
  const PluginIdentity own = detail::make_identity("", "", "");
  if (std::memcmp(identity.magic, own.magic, sizeof own.magic) != 0 ||
      identity.size != sizeof identity || !is_text(identity.abi, sizeof identity.abi) ||
      !is_text(identity.kind, sizeof identity.kind) ||
      !is_text(identity.name, sizeof identity.name) ||
      !is_text(identity.build, sizeof identity.build))
    return fail(ErrorCode::incompatible, library.string() + ": its section " +
                                             std::string(kSection) +
                                             " holds no plugin identity this version can read");
  return identity;
}

Result<void> check_identity(const PluginIdentity& identity) {
  if (identity.api_version != kApiVersion)
    return fail(ErrorCode::incompatible, "the plugin was built for plugin API " +
                                             std::to_string(identity.api_version) +
                                             ", this program has " + std::to_string(kApiVersion) +
                                             "; rebuild the plugin against it");
  if (std::string_view(identity.abi) != TROUPE_ABI_ID)
    return fail(ErrorCode::incompatible, "the plugin was built with ABI '" +
                                             std::string(identity.abi) +
                                             "', this program with '" TROUPE_ABI_ID
                                             "'; build both with the same compiler and settings");
  return {};
}

}  // namespace troupe
