// Imports users from JSON Lines in batches, and reports each refused line.

import { NO_PASSWORD } from "../../domain/user.ts";
import {
	type ImportOutcome,
	importUsers,
	type UserToImport,
} from "../../features/identity/users/import-users.ts";
import { type ImportedUser, importedUserSchema } from "../../features/identity/users/user-wire.ts";
import type { Needs } from "../../features/platform.ts";
import { validator } from "../../http/validation.ts";
import { fromWire } from "../../http/wire-form.ts";
import type { FieldError } from "../../kernel/error.ts";
import { cliCaller } from "../cli-caller.ts";
import { getTenantId } from "../tenant-by-slug.ts";
import { type Line, splitLines } from "./split-lines.ts";

/** Users in one transaction: few, so that other writers wait only briefly. */
const BATCH = 200;

export interface RefusedLine {
	/** From 1. */
	readonly line: number;
	/** As in the line, when it could be parsed. */
	readonly username?: string;
	/** `field` is `""` for the line as a whole. */
	readonly errors: readonly FieldError[];
}

export interface ImportCounts {
	readonly lines: number;
	readonly imported: number;
	/** Users that exist already with this username and e-mail. */
	readonly present: number;
	readonly refused: number;
}

type Needed = Needs<"tenants" | "users" | "audit", "clock"> & {
	/** Called in the order of the lines. */
	readonly onRefused: (refused: RefusedLine) => void;
	/** After every batch. */
	readonly onProgress: (counts: ImportCounts) => void;
};

/**
 * Imports the users in `bytes`: UTF-8, one JSON object a line, `importedUserSchema`; blank lines are ignored. Memory
 * use does not grow with the input. Repeat an interrupted run from the start.
 *
 * @throws StartError for an unknown tenant.
 */
export async function importUserLines(
	deps: Needed,
	tenantSlug: string,
	bytes: AsyncIterable<Buffer>,
): Promise<ImportCounts> {
	const tenantId = await getTenantId(deps.db, tenantSlug);
	const counts = { lines: 0, imported: 0, present: 0, refused: 0 };
	let batch: Line[] = [];
	const flush = async (): Promise<void> => {
		const { imported, present, refused } = await importBatch(deps, tenantId, batch);
		counts.lines = batch.at(-1)?.number ?? counts.lines;
		counts.imported += imported;
		counts.present += present;
		counts.refused += refused.length;
		for (const line of refused) deps.onRefused(line);
		deps.onProgress({ ...counts });
		batch = [];
	};
	for await (const line of splitLines(bytes)) {
		batch.push(line);
		if (batch.length === BATCH) await flush();
	}
	if (batch.length > 0) await flush();
	return counts;
}

async function importBatch(deps: Needed, tenantId: string, lines: readonly Line[]) {
	const refused: RefusedLine[] = [];
	const users: { readonly line: number; readonly user: UserToImport }[] = [];
	for (const line of lines) {
		const parsed = parseUser(line);
		if (parsed === undefined) continue;
		if ("errors" in parsed) refused.push(parsed);
		else users.push({ line: line.number, user: parsed });
	}
	const outcomes = await importUsers(
		deps,
		cliCaller(tenantId),
		users.map(({ user }) => user),
	);
	for (const [index, { line, user }] of users.entries()) {
		const errors = TAKEN[outcomes[index] as ImportOutcome];
		if (errors !== undefined) refused.push({ line, username: user.username, errors: [errors] });
	}
	refused.sort((a, b) => a.line - b.line);
	const count = (outcome: ImportOutcome): number => outcomes.filter((each) => each === outcome).length;
	return { imported: count("made"), present: count("present"), refused };
}

const TAKEN: Readonly<Partial<Record<ImportOutcome, FieldError>>> = {
	username_taken: { field: "username", message: "is taken by a user with another e-mail address" },
	email_taken: { field: "email", message: "is taken by a user with another username" },
};

const validate = validator(importedUserSchema);
const fromLine = fromWire(importedUserSchema);
const FIELDS = new Set(Object.keys(importedUserSchema.properties as object));

/** Undefined for a blank line. */
function parseUser({ number: line, text }: Line): UserToImport | RefusedLine | undefined {
	if (text === undefined)
		return { line, errors: [{ field: "", message: "must be UTF-8 text of at most 65536 bytes" }] };
	if (text.trim() === "") return undefined;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { line, errors: [{ field: "", message: "must be a JSON object on a line of its own" }] };
	}
	const valid = validate(value);
	// Refuse misspelt fields: ignoring one would drop, for example, a password hash.
	const unknown = Object.keys(Object(value)).filter((name) => !FIELDS.has(name));
	if (valid === true && unknown.length === 0)
		return { passwordHash: NO_PASSWORD, ...fromLine(value as ImportedUser) };
	const errors = [
		...(valid === true ? [] : valid),
		...unknown.map((field) => ({ field, message: "is not a field of an imported user" })),
	];
	const { username } = Object(value);
	return { line, ...(typeof username === "string" ? { username } : {}), errors };
}
