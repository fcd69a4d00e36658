// The folder in which a run keeps its temporary files: in memory where possible, since most tests otherwise wait for the disk.

import {
	accessSync,
	chmodSync,
	constants,
	mkdirSync,
	readdirSync,
	rmSync,
	statfsSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** A run takes up to 1 GB; containers often have 64 MB there. */
const NEEDED_BYTES = 3 * 2 ** 30;
const NAME = /^latchkey-run-(\d+)$/;

/** Accessible to other users, for servers that refuse to run as root. Removed recursively at the end of the scope. */
export function makeRunFolder(): { readonly path: string } & Disposable {
	const base = process.env.TMPDIR === undefined && isUsable(MEMORY) ? MEMORY : tmpdir();
	removeAbandoned(base);
	const path = join(base, `latchkey-run-${process.pid}`);
	mkdirSync(path);
	chmodSync(path, 0o1777);
	const remove = (): void => rmSync(path, { recursive: true, force: true });
	return { path, [Symbol.dispose]: remove };
}

/** Whether there is enough space and programs can be executed. */
function isUsable(folder: string): boolean {
	const probe = join(folder, `latchkey-probe-${process.pid}`);
	try {
		const { bavail, bsize } = statfsSync(folder);
		if (bavail * bsize < NEEDED_BYTES) return false;
		writeFileSync(probe, "", { mode: 0o700 });
		accessSync(probe, constants.X_OK);
		return true;
	} catch {
		return false;
	} finally {
		rmSync(probe, { force: true });
	}
}

/** Removes folders of killed runs, which would occupy memory until a reboot. */
function removeAbandoned(base: string): void {
	for (const name of readdirSync(base)) {
		const pid = NAME.exec(name)?.[1];
		if (pid !== undefined && !isRunning(Number(pid)))
			rmSync(join(base, name), { recursive: true, force: true });
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== "ESRCH";
	}
}
