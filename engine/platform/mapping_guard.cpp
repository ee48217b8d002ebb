// POSIX only. A signal handler can reach nothing but process-wide state, so the table of mappings
// is the one exception to "no global mutable state": a fixed array of atomics, written under a
// lock-free protocol that the handler may interrupt anywhere.
#include "platform/mapping_guard.h"

#include <csignal>
#include <cstdint>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace thermocline::platform {
namespace {

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};  // 0: not (or no longer) valid
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> damaged{false};
};
constexpr int slot_count = 256;

struct Guards {
  Slot slots[slot_count];
  struct sigaction previous = {};
  std::once_flag installed;
};

Guards& guards() {
  static Guards instance;
  return instance;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  Guards& all = guards();
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Slot& slot : all.slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= end) continue;
    slot.damaged.store(true, std::memory_order_release);
    // A shrunk file loses its tail: replace everything from the faulting page on in one call.
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = address / page * page;
    const std::uintptr_t to = (end + page - 1) / page * page;
    // A signal brings its address as a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
    if (mmap(reinterpret_cast<void*>(from), to - from, PROT_READ,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
      return;
    }
  }
  // Not ours: hand on to whoever handled it before; the default action ends the process.
  if ((all.previous.sa_flags & SA_SIGINFO) != 0 && all.previous.sa_sigaction != nullptr) {
    all.previous.sa_sigaction(signal, info, context);
  } else if (all.previous.sa_handler != SIG_DFL && all.previous.sa_handler != SIG_IGN) {
    all.previous.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL);
  }
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &guards().previous);
}

}  // namespace

MappingGuard::MappingGuard(const std::byte* data, std::size_t size) {
  Guards& all = guards();
  std::call_once(all.installed, install);
  for (int i = 0; i < slot_count; ++i) {
    bool free_slot = false;
    if (!all.slots[i].taken.compare_exchange_strong(free_slot, true)) continue;
    all.slots[i].damaged.store(false, std::memory_order_relaxed);
    all.slots[i].end.store(reinterpret_cast<std::uintptr_t>(data) + size,
                           std::memory_order_release);
    all.slots[i].begin.store(reinterpret_cast<std::uintptr_t>(data), std::memory_order_release);
    slot_ = i;
    return;
  }
}

MappingGuard::~MappingGuard() {
  if (slot_ < 0) return;
  Slot& slot = guards().slots[slot_];
  slot.begin.store(0, std::memory_order_release);
  slot.taken.store(false, std::memory_order_release);
}

bool MappingGuard::damaged() const noexcept {
  return slot_ >= 0 && guards().slots[slot_].damaged.load(std::memory_order_acquire);
}

}  // namespace thermocline::platform
