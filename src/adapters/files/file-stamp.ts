// Detects that a file was replaced or changed.

import { statSync } from "node:fs";

/** Text that differs once the file, or the target of its link, is replaced, changed, or removed. */
export function stampOf(path: string): string {
	const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
	return stats === undefined ? "gone" : `${stats.ino} ${stats.mtimeNs} ${stats.size} ${stats.mode}`;
}
