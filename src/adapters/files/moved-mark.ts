// The file that marks an embedded database as copied to PostgreSQL, so that no service starts on it.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { isoTime } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { writeFileDurably } from "./durable-file.ts";

/** The mark is stored next to its database file. */
function markOf(databaseFile: string): string {
	return `${databaseFile}.moved`;
}

/** Durable when this returns. `to` contains no credentials. @throws StartError when the file cannot be written. */
export function markMoved(
	databaseFile: string,
	{ to, atMs }: { readonly to: string; readonly atMs: number },
): void {
	writeFileDurably(markOf(databaseFile), `to ${to} at ${isoTime(atMs)}\n`);
}

/** @throws StartError that describes how to go back, when the database was copied to PostgreSQL. */
export function refuseMoved(databaseFile: string): void {
	const mark = markOf(databaseFile);
	if (!existsSync(mark)) return;
	const destination = readFileSync(mark, "utf8").trim();
	throw new StartError(
		`${databaseFile} was copied ${destination}: use LATCHKEY_DATABASE_URL. To go back, stop every node there, then run latchkey backup there and latchkey restore --replace here; or remove ${mark} and lose everything written there since`,
	);
}

/** Call after a restore has replaced the database. */
export function removeMovedMark(databaseFile: string): void {
	rmSync(markOf(databaseFile), { force: true });
}
