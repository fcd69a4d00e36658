// A user in a file of another system, and what an import needs to know about its format.

import { isoTime } from "../../kernel/clock.ts";

/** A parsed record of a file: any JSON object. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** How records of another system map to lines of an import. */
export interface SourceFormat {
	/** The fields of `importedUserSchema` without the hash. A missing username is derived from the email. */
	toUser(source: SourceRecord): SourceRecord;
	/**
	 * The hash in its stored form; undefined for a user without a password.
	 * @throws HashFormatError
	 */
	readHash(source: SourceRecord): string | undefined;
	/** The names of import fields in the record, where they differ. */
	readonly fields: Readonly<Record<string, string>>;
}

/** Milliseconds since 1970, as a number or a string; ignores anything else. */
export function createdAtOf(milliseconds: unknown): SourceRecord {
	return /^\d{1,14}$/.test(String(milliseconds)) ? { created_at: isoTime(Number(milliseconds)) } : {};
}
