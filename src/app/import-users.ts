// Reads people from JSON Lines and takes them over, batch by batch; what cannot be taken is told line by line.

import type { Stores } from "../adapters/sql/stores.ts";
import { type ImportOutcome, importUsers, type UserToImport } from "../features/users/import-users.ts";
import { NO_PASSWORD } from "../features/users/model.ts";
import { type ImportedUser, importedUserSchema } from "../features/users/user-wire.ts";
import { validator } from "../http/validation.ts";
import type { Clock } from "../kernel/clock.ts";
import type { FieldError } from "../kernel/error.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { type Line, splitLines } from "./split-lines.ts";

/** People in one transaction: short enough for others to get their turn. */
const BATCH = 200;

export interface RefusedLine {
	/** From 1. */
	readonly line: number;
	/** As written, when it could be read. */
	readonly username?: string;
	/** `field` is `""` for the line as a whole. */
	readonly errors: readonly FieldError[];
}

export interface ImportCounts {
	readonly lines: number;
	readonly made: number;
	/** There already, with this username and e-mail. */
	readonly present: number;
	readonly refused: number;
}

export interface ImportDeps {
	readonly db: Persistence<Stores>;
	readonly clock: Clock;
	/** Called in the order of the lines. */
	readonly onRefused: (refused: RefusedLine) => void;
	/** After every batch. */
	readonly onProgress: (counts: ImportCounts) => void;
}

/**
 * Takes over everybody in `bytes` (UTF-8, one JSON object a line, `importedUserSchema`; blank lines count for nothing).
 * Memory does not grow with the input. A run that was cut short is begun again from the start.
 *
 * @throws StartError for an unknown tenant.
 */
export async function importUserLines(
	deps: ImportDeps,
	tenantSlug: string,
	bytes: AsyncIterable<Buffer>,
): Promise<ImportCounts> {
	const tenant = await deps.db.stores.tenants.findBySlug(tenantSlug);
	if (tenant === undefined) throw new StartError(`there is no tenant ${JSON.stringify(tenantSlug)}`);
	const counts = { lines: 0, made: 0, present: 0, refused: 0 };
	let batch: Line[] = [];
	const flush = async (): Promise<void> => {
		const { made, present, refused } = await importBatch(deps, tenant.id, batch);
		counts.lines = batch.at(-1)?.number ?? counts.lines;
		counts.made += made;
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

async function importBatch(deps: ImportDeps, tenantId: string, lines: readonly Line[]) {
	const refused: RefusedLine[] = [];
	const people: { readonly line: number; readonly person: UserToImport }[] = [];
	for (const line of lines) {
		const parsed = parsePerson(line);
		if (parsed === undefined) continue;
		if ("errors" in parsed) refused.push(parsed);
		else people.push({ line: line.number, person: parsed });
	}
	const outcomes = await importUsers(
		deps,
		tenantId,
		people.map(({ person }) => person),
	);
	for (const [index, { line, person }] of people.entries()) {
		const errors = TAKEN[outcomes[index] as ImportOutcome];
		if (errors !== undefined) refused.push({ line, username: person.username, errors: [errors] });
	}
	refused.sort((a, b) => a.line - b.line);
	const count = (wanted: ImportOutcome): number => outcomes.filter((outcome) => outcome === wanted).length;
	return { made: count("made"), present: count("present"), refused };
}

const TAKEN: Readonly<Partial<Record<ImportOutcome, FieldError>>> = {
	username_taken: { field: "username", message: "is taken by somebody with another e-mail address" },
	email_taken: { field: "email", message: "is taken by somebody with another username" },
};

const validate = validator(importedUserSchema);
const FIELDS = new Set(Object.keys(importedUserSchema.properties as object));

/** Undefined for a blank line. */
function parsePerson({ number: line, text }: Line): UserToImport | RefusedLine | undefined {
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
	// What is misspelt is not left out unnoticed: somebody's password hash, say.
	const unknown = Object.keys(Object(value)).filter((name) => !FIELDS.has(name));
	if (valid === true && unknown.length === 0) return toPerson(value as ImportedUser);
	const errors = [
		...(valid === true ? [] : valid),
		...unknown.map((field) => ({ field, message: "is not a field of an imported user" })),
	];
	const { username } = Object(value);
	return { line, ...(typeof username === "string" ? { username } : {}), errors };
}

function toPerson(user: ImportedUser): UserToImport {
	return {
		username: user.username,
		email: user.email,
		passwordHash: user.password_hash ?? NO_PASSWORD,
		emailVerified: user.email_verified ?? false,
		displayName: user.display_name ?? "",
		avatarUrl: user.avatar_url ?? "",
		status: user.status ?? "active",
		roles: user.roles ?? [],
		createdAtMs: user.created_at === undefined ? null : Date.parse(user.created_at),
	};
}
