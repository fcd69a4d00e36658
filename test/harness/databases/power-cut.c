// Loaded before the C library (LD_PRELOAD): records each write to a file below POWER_CUT_FOLDER, and each wait for the disk, in
// the file POWER_CUT_LOG. One lock makes the order of the records that of their effects.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct record {
	uint64_t at_ns, offset;
	uint32_t length, name_length;
	char kind, rest[7];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

/** Whether `file` is below the folder; `name` is then its path there. */
static int is_recorded(int file, char *name) {
	char link[64], path[4096];
	const char *folder = getenv("POWER_CUT_FOLDER");
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t length = folder ? readlink(link, path, sizeof path - 1) : -1;
	if (length < 0) return 0;
	path[length] = 0;
	size_t prefix = strlen(folder);
	if (strncmp(path, folder, prefix) != 0 || path[prefix] != '/') return 0;
	strcpy(name, path + prefix + 1);
	return 1;
}

static void append(char kind, const char *name, uint64_t offset, const void *data, uint32_t length) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	struct record record = {now.tv_sec * 1000000000ull + now.tv_nsec, offset, length, strlen(name), kind, {0}};
	struct iovec parts[] = {{&record, sizeof record}, {(void *)name, strlen(name)}, {(void *)data, data ? length : 0}};
	if (log_file < 0) log_file = syscall(SYS_openat, AT_FDCWD, getenv("POWER_CUT_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	// A log with a gap would prove nothing.
	if (syscall(SYS_writev, log_file, parts, 3) < 0) abort();
}

#define RECORD(call, kind, offset, data, length)           \
	char name[4096];                                       \
	if (!is_recorded(file, name)) return call;             \
	pthread_mutex_lock(&lock);                             \
	uint64_t at = (offset);                                \
	ssize_t result = call;                                 \
	if (result >= 0) append(kind, name, at, data, length); \
	pthread_mutex_unlock(&lock);                           \
	return result;

ssize_t write(int file, const void *data, size_t size) {
	RECORD(syscall(SYS_write, file, data, size), 'W', lseek(file, 0, SEEK_CUR), data, result)
}
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
	RECORD(syscall(SYS_pwrite64, file, data, size, offset), 'W', offset, data, result)
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) { return pwrite(file, data, size, offset); }

int fsync(int file) { RECORD(syscall(SYS_fsync, file), 'S', 0, NULL, 0) }
int fdatasync(int file) { RECORD(syscall(SYS_fdatasync, file), 'S', 0, NULL, 0) }

int ftruncate(int file, off_t size) { RECORD(syscall(SYS_ftruncate, file, size), 'T', size, NULL, 0) }
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }
