// A person in the file of another system, and what an import needs to know of its format.

import { isoTime } from "../../kernel/clock.ts";

/** A parsed record of a file: any JSON object. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** How the records of another system become lines of an import. */
export interface SourceFormat {
	/** The fields of `importedUserSchema` without the hash; no username: it is derived from the email. */
	toUser(source: SourceRecord): SourceRecord;
	/**
	 * The form to store; undefined for a person without a password.
	 * @throws HashFormatError
	 */
	readHash(source: SourceRecord): string | undefined;
	/** What the record calls the fields of the import, where the names differ. */
	readonly fields: Readonly<Record<string, string>>;
}

/** Milliseconds since 1970, as a number or a text; anything else counts as none. */
export function createdAtOf(milliseconds: unknown): SourceRecord {
	return /^\d{1,14}$/.test(String(milliseconds)) ? { created_at: isoTime(Number(milliseconds)) } : {};
}
