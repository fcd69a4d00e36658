// A small file system that a test can fill.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Mounts a file system of `megabytes`.
 * @returns undefined without permission to mount @throws in CI, where a test must not be skipped
 */
export function mountSmallDisk(megabytes = 16): string | undefined {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-disk-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
		return folder;
	} catch (error) {
		rmSync(folder, { recursive: true });
		if (process.env.CI !== undefined) throw error;
		return undefined;
	}
}

/** Writes a file that leaves only `spareBytes` free. */
export function fill(file: string, spareBytes: number): void {
	const handle = openSync(file, "w");
	for (let size = 1 << 20; size >= 1; size >>= 1) {
		try {
			for (;;) writeSync(handle, Buffer.alloc(size));
		} catch (error) {
			assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
		}
	}
	ftruncateSync(handle, Math.max(0, fstatSync(handle).size - spareBytes));
	closeSync(handle);
}

export function unmount(folder: string): void {
	execFileSync("umount", [folder]);
	rmSync(folder, { recursive: true });
}
