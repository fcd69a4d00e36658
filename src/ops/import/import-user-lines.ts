// Imports users from a file in batches, and reports each refused line.

import type { Caller } from "../../domain/caller.ts";
import {
	createImportRehearsal,
	type ImportOutcome,
	importUsers,
	type UserToImport,
} from "../../features/identity/users/import-users.ts";
import type { Needs } from "../../features/platform.ts";
import { cliCaller } from "../cli-caller.ts";
import { getTenantId } from "../tenant-by-slug.ts";
import { type LineError, parseUser, type RefusedLine } from "./parse-user.ts";
import { type FormatName, openSource, type SourceOptions } from "./source-format.ts";
import type { SourceFormat } from "./source-record.ts";
import type { Line } from "./split-lines.ts";

/** Users per transaction: few, so that other writers wait only briefly. */
const BATCH = 200;

export interface ImportCounts {
	readonly format: FormatName;
	readonly lines: number;
	readonly imported: number;
	/** Users that already exist with this username and email. */
	readonly present: number;
	readonly refused: number;
}

type Needed = SourceOptions &
	Needs<"tenants" | "users" | "audit", "clock"> & {
		/** Checks everything and writes nothing. */
		readonly dryRun: boolean;
		/** Called in the order of the lines. */
		readonly onRefused: (refused: RefusedLine) => void;
		/** Called after every batch. */
		readonly onProgress: (counts: ImportCounts) => void;
	};

/**
 * Imports the users in `bytes`: a file of another system, or UTF-8 text with one JSON object (`importedUserSchema`) per
 * line; blank lines are ignored. Memory use does not grow with the input, except in a dry run. Repeat an interrupted
 * run from the start.
 *
 * @throws StartError for an unknown tenant; as `openSource`.
 */
export async function importUserLines(
	deps: Needed,
	tenantSlug: string,
	bytes: AsyncIterable<Buffer>,
): Promise<ImportCounts> {
	const tenantId = await getTenantId(deps.db, tenantSlug);
	const { name, format, records } = await openSource(bytes, deps);
	const counts = { format: name, lines: 0, imported: 0, present: 0, refused: 0 };
	const write: Import = deps.dryRun
		? createImportRehearsal(deps)
		: (caller, people) => importUsers(deps, caller, people);
	const caller = cliCaller(tenantId);
	let batch: Line[] = [];
	const flush = async (): Promise<void> => {
		const { imported, present, refused } = await importBatch(write, caller, batch, format);
		counts.lines = batch.at(-1)?.number ?? counts.lines;
		counts.imported += imported;
		counts.present += present;
		counts.refused += refused.length;
		for (const line of refused) deps.onRefused(line);
		deps.onProgress({ ...counts });
		batch = [];
	};
	for await (const line of records) {
		batch.push(line);
		if (batch.length === BATCH) await flush();
	}
	if (batch.length > 0) await flush();
	return counts;
}

type Import = ReturnType<typeof createImportRehearsal>;

async function importBatch(
	write: Import,
	caller: Caller,
	lines: readonly Line[],
	format: SourceFormat | undefined,
) {
	const refused: RefusedLine[] = [];
	const users: { readonly line: number; readonly user: UserToImport }[] = [];
	for (const line of lines) {
		const parsed = parseUser(line, format);
		if (parsed === undefined) continue;
		if ("errors" in parsed) refused.push(parsed);
		else users.push({ line: line.number, user: parsed });
	}
	const outcomes = await write(
		caller,
		users.map(({ user }) => user),
	);
	for (const [index, outcome] of outcomes.entries()) {
		const [errors, input] = [TAKEN[outcome], users[index]];
		if (errors !== undefined && input !== undefined)
			refused.push({ line: input.line, username: input.user.username, errors: [errors] });
	}
	refused.sort((a, b) => a.line - b.line);
	const count = (outcome: ImportOutcome): number => outcomes.filter((each) => each === outcome).length;
	return { imported: count("created"), present: count("present"), refused };
}

const TAKEN: Readonly<Partial<Record<ImportOutcome, LineError>>> = {
	username_taken: { field: "username", message: "is already used by a user with another email address" },
	email_taken: { field: "email", message: "is already used by a user with another username" },
};
