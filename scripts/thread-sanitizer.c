// What the thread sanitizer has to be told on Linux, where it does not see it by itself. `scripts/sanitize thread` links this
// into the programs that it builds.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

// MARK: Tasks

// Swift's runtime reports in what order the parts of tasks run, if its own __tsan_on_initialize was called. In a program for
// Linux the sanitizer's empty one comes first, so this does the same (stdlib/public/Threading/ThreadSanitizer.cpp).
extern bool _swift_tsan_enabled;
extern void (*_swift_tsan_acquire)(void *);
extern void (*_swift_tsan_release)(void *);

void __tsan_on_initialize(void) {
    _swift_tsan_enabled = true;
    _swift_tsan_acquire = __tsan_acquire;
    _swift_tsan_release = __tsan_release;
}

// It does not report a continuation that is resumed before its task has begun to wait for it (stdlib/public/Concurrency/
// Task.cpp). So what goes on behind it is reported here, whoever came first.
#define TASK __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_async_context)) struct Context *context
struct Context;
typedef __attribute__((swiftasynccall)) void (*Function)(CONTEXT);
typedef __attribute__((swiftasynccall)) void (*Await)(struct Context *);
typedef TASK void (*Resume)(void *task);
typedef TASK void (*ResumeThrowing)(void *task, void *error);

struct Context {
    struct Context *parent;
    Function resume;
};

TASK void *swift_task_getCurrent(void);

// What goes on behind each continuation that is waited for. The lock is none that the sanitizer sees: it would take it for
// an order of what it does not order.
enum { PLACES = 1 << 20 };
static struct {
    struct Context *context;
    Function resume;
} waiting[PLACES];
static bool is_locked;

static Function exchange(struct Context *context, struct Context *from, struct Context *to, Function resume) {
    while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE)) {}
    uintptr_t place = (uintptr_t)context >> 4;
    while (waiting[place % PLACES].context != from) place++;
    Function former = waiting[place % PLACES].resume;
    waiting[place % PLACES].context = to;
    waiting[place % PLACES].resume = resume;
    __atomic_clear(&is_locked, __ATOMIC_RELEASE);
    return former;
}

static __attribute__((swiftasynccall)) void resumed(CONTEXT) {
    Function resume = exchange(context, context, 0, 0);
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return resume(context);
}

__attribute__((swiftasynccall)) void swift_continuation_await(struct Context *context) {
    exchange(context, 0, context, context->resume);
    context->resume = resumed;
    Await original = (Await)dlsym(RTLD_NEXT, "swift_continuation_await");
    __attribute__((musttail)) return original(context);
}

TASK void swift_continuation_resume(void *task) {
    __tsan_release(task);
    ((Resume)dlsym(RTLD_NEXT, "swift_continuation_resume"))(task);
}

TASK void swift_continuation_throwingResume(void *task) {
    __tsan_release(task);
    ((Resume)dlsym(RTLD_NEXT, "swift_continuation_throwingResume"))(task);
}

TASK void swift_continuation_throwingResumeWithError(void *task, void *error) {
    __tsan_release(task);
    ((ResumeThrowing)dlsym(RTLD_NEXT, "swift_continuation_throwingResumeWithError"))(task, error);
}

// MARK: Mutexes

// A free Mutex is locked and unlocked by atomic operations in the program itself, which the sanitizer sees. One for which
// others wait is handed over by the kernel, in these functions of the library (stdlib/public/Synchronization/Mutex/
// LinuxImpl.swift).
#define SELF __attribute__((swift_context)) void *self
#define SWIFT(name) __attribute__((swiftcall)) __asm__("$s15Synchronization12_MutexHandleV" name)
#define ORIGINAL(name) dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV" name)

#define LOCK "9_lockSlowyys6UInt32VF"
#define TRY_LOCK "12_tryLockSlowSbyF"
#define UNLOCK "11_unlockSlowyyF"

void lock_slowly(uint32_t thread, SELF) SWIFT(LOCK);
bool try_lock_slowly(SELF) SWIFT(TRY_LOCK);
void unlock_slowly(SELF) SWIFT(UNLOCK);

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t, SELF);
typedef __attribute__((swiftcall)) bool (*TryLock)(SELF);
typedef __attribute__((swiftcall)) void (*Unlock)(SELF);

__attribute__((swiftcall)) void lock_slowly(uint32_t thread, SELF) {
    ((Lock)ORIGINAL(LOCK))(thread, self);
    __tsan_acquire(self);
}

__attribute__((swiftcall)) bool try_lock_slowly(SELF) {
    bool is_locked = ((TryLock)ORIGINAL(TRY_LOCK))(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

__attribute__((swiftcall)) void unlock_slowly(SELF) {
    __tsan_release(self);
    ((Unlock)ORIGINAL(UNLOCK))(self);
}
