#include "csqlitefaults.h"

#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_mem_methods allocator;
static _Atomic int64_t allocations, failingAllocation;
static _Atomic int failsForEver;

static int fails(void) {
    int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    int64_t failing = atomic_load(&failingAllocation);
    return failing > 0 && (atomic_load(&failsForEver) ? number >= failing : number == failing);
}

static void *m_allocate(int size) { return fails() ? 0 : allocator.xMalloc(size); }
static void *m_reallocate(void *memory, int size) { return fails() ? 0 : allocator.xRealloc(memory, size); }

int sqlite_faults_watch_memory(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &allocator) != SQLITE_OK) return 0;
    sqlite3_mem_methods watched = allocator;
    watched.xMalloc = m_allocate;
    watched.xRealloc = m_reallocate;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &watched) == SQLITE_OK;
}

void sqlite_faults_arm_memory(int64_t n, int forEver) {
    atomic_store(&failingAllocation, 0);
    atomic_store(&allocations, 0);
    atomic_store(&failsForEver, forEver);
    atomic_store(&failingAllocation, n);
}

int64_t sqlite_faults_allocations(void) { return atomic_load(&allocations); }
