// Notes what services under test responded, for `test/docs/statuses.test.ts` at the end of a run.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A whole run sets it to the folder of its notes. */
export const NOTES_FOLDER = process.env.TEST_NOTES_FOLDER;

const notes = new Set<string>();
if (NOTES_FOLDER !== undefined)
	process.once("exit", () =>
		writeFileSync(join(NOTES_FOLDER, `${process.pid}.notes`), [...notes].join("\n")),
	);

/** A success as the client saw it. */
export function noteSuccess(method: string, target: string, status: number): void {
	if (NOTES_FOLDER === undefined || status >= 400 || !target.startsWith("/")) return;
	const [path = ""] = target.split("?", 1);
	notes.add(`${method} ${path.replaceAll(/[\w-]{30,}/g, "x")} ${status}`);
}

/** The refusals in the log of a service, which names the route and the code. */
export function noteRefusals(log: string): void {
	if (NOTES_FOLDER === undefined) return;
	for (const line of log.split("\n")) {
		if (!line.includes('"code"') || !line.includes('"route"')) continue;
		const { method, route, status, code } = JSON.parse(line);
		notes.add(`${method} ${route} ${status} ${code}`);
	}
}

/** Method, path or route, status, and the code of an error. */
export function readNotes(folder: string): (readonly string[])[] {
	const lines = readdirSync(folder)
		.filter((name) => name.endsWith(".notes"))
		.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
	return [...new Set(lines)].map((line) => line.split(" "));
}
