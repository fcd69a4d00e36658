// Parses a line of an import, or a record of another system, to the user it describes.

import { sha256Hex } from "../../crypto/digest.ts";
import { readPasswordHash } from "../../crypto/imported-hash.ts";
import { HashFormatError } from "../../crypto/imported-hash-limits.ts";
import { NO_PASSWORD } from "../../domain/user.ts";
import type { UserToImport } from "../../features/identity/users/import-users.ts";
import { type ImportedUser, importedUserSchema } from "../../features/identity/users/user-wire.ts";
import { validator } from "../../http/describe/validation.ts";
import { fromWire } from "../../http/describe/wire-form.ts";
import { isMembers } from "../../kernel/shape.ts";
import type { SourceFormat, SourceRecord } from "./source-record.ts";
import { type Line, RECORD_MAX_BYTES } from "./split-lines.ts";

export interface LineError {
	/** `""`: the whole line. */
	readonly field: string;
	readonly message: string;
}

export interface RefusedLine {
	/** 1-based. */
	readonly line: number;
	/** As in the line, if it could be parsed. */
	readonly username?: string;
	readonly errors: readonly LineError[];
}

const validate = validator(importedUserSchema);
const fromLine = fromWire(importedUserSchema);
const FIELDS = new Set(Object.keys(importedUserSchema.properties as object));

/** Latchkey's own format, whose fields are those of the schema. */
const OWN: SourceFormat = {
	toUser: (source) => source,
	readHash: ({ password_hash: hash }) => (typeof hash === "string" ? readPasswordHash(hash) : undefined),
	fields: {},
};

/** Undefined for a blank line. */
export function parseUser(record: Line, format: SourceFormat = OWN): UserToImport | RefusedLine | undefined {
	const { number: line, text } = record;
	const refuse = (message: string): RefusedLine => ({ line, errors: [{ field: "", message }] });
	if (text === undefined)
		return refuse(record.problem ?? `must be UTF-8 text of at most ${RECORD_MAX_BYTES} bytes`);
	if (text.trim() === "") return undefined;
	let source: unknown;
	try {
		source = JSON.parse(text);
	} catch {
		return refuse(format === OWN ? "must be a JSON object on its own line" : "must be a JSON object");
	}
	if (!isMembers(source)) return refuse("must be an object");
	return readUser(line, source, format);
}

function readUser(line: number, source: SourceRecord, format: SourceFormat): UserToImport | RefusedLine {
	const described = format.toUser(source);
	const names =
		format === OWN || described.username !== undefined
			? undefined
			: usernamesOf(String(described.email ?? ""));
	const user = { ...described, ...(names && { username: names[0] }) };
	const valid = validate(user);
	// Refuse misspelled fields: ignoring one would drop, for example, a password hash.
	const unknown = Object.keys(user).filter((name) => !FIELDS.has(name));
	const hash = tryHash(source, format);
	if (valid === true && unknown.length === 0 && "stored" in hash) {
		const other = names && { otherUsername: names[1] };
		return { ...fromLine(user as ImportedUser), ...other, passwordHash: hash.stored ?? NO_PASSWORD };
	}
	const errors = [
		...(valid === true ? [] : valid),
		...("message" in hash ? [{ field: "password_hash", message: hash.message }] : []),
		...unknown.map((field) => ({ field, message: "is not a field of an imported user" })),
	].map(({ field, message }) => ({ field: format.fields[field] ?? field, message }));
	const username = Object(source).username;
	return { line, ...(typeof username === "string" ? { username } : {}), errors };
}

function tryHash(source: SourceRecord, format: SourceFormat) {
	try {
		return { stored: format.readHash(source) };
	} catch (error) {
		if (!(error instanceof HashFormatError)) throw error;
		return { message: error.message };
	}
}

/** Two usernames derived from the local part of the address; the second is unique per address. */
function usernamesOf(email: string): readonly [string, string] {
	const address = email.trim().toLowerCase();
	const local = address.split("@", 1)[0]?.replaceAll(/[^a-z0-9._-]+/g, "-") ?? "";
	const name = local.replace(/^[._-]+/, "").slice(0, 50);
	const first = name.length < 3 ? `user-${name}` : name;
	return [first, `${first}-${sha256Hex(address).slice(0, 8)}`];
}
