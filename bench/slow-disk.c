// Loaded before the C library (LD_PRELOAD): delays every wait for the disk by SLOW_DISK_MS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_longer(void) {
	const char *ms = getenv("SLOW_DISK_MS");
	struct timespec pause = {0, (ms ? atol(ms) : 0) * 1000000L};
	nanosleep(&pause, 0);
}

int fsync(int file) {
	int (*wait_for)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	wait_longer();
	return wait_for(file);
}

int fdatasync(int file) {
	int (*wait_for)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
	wait_longer();
	return wait_for(file);
}
