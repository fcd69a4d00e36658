// Refuses an embedded database whose files this process cannot write. SQLite would open it for reading, without an error.

import { accessSync, constants } from "node:fs";
import { StartError, systemCode } from "../../kernel/start-error.ts";

/** The database, its write-ahead log, and the index of that log. */
const ENDINGS = ["", "-wal", "-shm"];

/** Opens no file. Files that do not exist are fine. @throws StartError for the first file that cannot be written. */
export function refuseUnwritable(file: string): void {
	for (const path of ENDINGS.map((ending) => file + ending)) {
		try {
			accessSync(path, constants.R_OK | constants.W_OK);
		} catch (cause) {
			const code = systemCode(cause);
			if (code === "ENOENT") continue;
			throw new StartError(
				`database file ${path} cannot be written (${code}); the service's user must be able to write latchkey.db, latchkey.db-wal, and latchkey.db-shm`,
				{ cause },
			);
		}
	}
}
