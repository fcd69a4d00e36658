// Password hashes of other systems: the forms that an import accepts, and the stored form.

import {
	checkHashLimits,
	HashFormatError,
	type HashParameters,
	type ImportedHash,
} from "./imported-hash-limits.ts";

/** `$2a$`, `$2b$`, and `$2y$` are equivalent today; `$2x$` marks the hashes of a faulty implementation. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

/**
 * Reads a password hash that another system wrote: bcrypt; PHC strings of argon2id, scrypt, and PBKDF2 (also in
 * passlib's format); and PBKDF2 in Django's format.
 *
 * @returns the form to store.
 * @throws HashFormatError
 */
export function readPasswordHash(text: string): string {
	if (BCRYPT.test(text)) return text;
	if (text.startsWith("$2"))
		throw new HashFormatError("must be a bcrypt hash of the version 2a, 2b or 2y and a cost from 4 to 15");
	return formatImportedHash(parseImportedHash(text));
}

/** The PHC string. @throws HashFormatError for parameters beyond the limits. */
export function formatImportedHash(imported: ImportedHash): string {
	checkHashLimits(imported);
	const salt = toBase64(imported.salt);
	const hash = toBase64(firstBlock(imported));
	return `$${imported.kind}$${formatParameters(imported)}$${salt}$${hash}`;
}

/** @throws HashFormatError for another format, and for parameters beyond the limits. */
export function parseImportedHash(text: string): ImportedHash {
	const imported = text.startsWith("pbkdf2_") ? parseDjango(text) : parsePhc(text);
	checkHashLimits(imported);
	return imported;
}

function parsePhc(text: string): ImportedHash {
	const [before, kind, ...parts] = text.split("$");
	if (before !== "" || kind === undefined) throw unknownForm();
	if (kind === "argon2id" && parts.shift() !== "v=19")
		throw new HashFormatError("must have version 19 (v=19) of argon2id");
	const [parameters = "", salt = "", hash = "", ...rest] = parts;
	if (rest.length > 0) throw unknownForm();
	return {
		...parametersOf(kind, parameters),
		salt: fromBase64(salt, "salt"),
		hash: fromBase64(hash, "hash"),
	};
}

/** `pbkdf2_sha256$<iterations>$<salt as text>$<hash>`. */
function parseDjango(text: string): ImportedHash {
	const [algorithm, iterations = "", salt = "", hash = "", ...rest] = text.split("$");
	if (algorithm !== "pbkdf2_sha256" || rest.length > 0) throw unknownForm();
	return {
		...parametersOf("pbkdf2-sha256", iterations),
		salt: Buffer.from(salt),
		hash: fromBase64(hash, "hash"),
	};
}

function parametersOf(kind: string, text: string): HashParameters {
	if (kind === "argon2id") {
		const [memoryKib, passes, lanes] = readNumbers(text, ["m", "t", "p"]);
		return { kind, memoryKib, passes, lanes };
	}
	if (kind === "scrypt" || kind === "firebase-scrypt") {
		const [logN, blockSize, lanes] = readNumbers(text, ["ln", "r", "p"]);
		return { kind, logN, blockSize, lanes };
	}
	if (kind === "pbkdf2-sha256" || kind === "pbkdf2-sha512") {
		// passlib writes only the number; `l` repeats the length of the hash.
		const named = /^\d/.test(text) ? `i=${text}` : text.replace(/,l=\d{1,4}$/, "");
		return { kind, iterations: readNumbers(named, ["i"])[0] };
	}
	throw unknownForm();
}

type Numbers<Names extends readonly string[]> = { [Index in keyof Names]: number };

function readNumbers<const Names extends readonly string[]>(text: string, names: Names): Numbers<Names> {
	const values = new Map(
		text.split(",").map((part): [string, string] => {
			const [name = "", value = ""] = part.split("=");
			return [name, value];
		}),
	);
	const numbers = names.map((name) => {
		const value = values.get(name) ?? "";
		if (!/^[1-9]\d{0,9}$/.test(value))
			throw new HashFormatError(`must have the parameter ${name}, a whole number from 1`);
		return Number(value);
	});
	const other = [...values.keys()].find((name) => !names.includes(name));
	if (other !== undefined) throw new HashFormatError(`must have only the parameters ${names.join(", ")}`);
	return numbers as Numbers<Names>;
}

function formatParameters(parameters: HashParameters): string {
	switch (parameters.kind) {
		case "argon2id":
			return `v=19$m=${parameters.memoryKib},t=${parameters.passes},p=${parameters.lanes}`;
		case "scrypt":
		case "firebase-scrypt":
			return `ln=${parameters.logN},r=${parameters.blockSize},p=${parameters.lanes}`;
		default:
			return `i=${parameters.iterations}`;
	}
}

/** The blocks of a PBKDF2 hash are independent: the first one suffices to verify the password. */
function firstBlock({ kind, hash }: ImportedHash): Buffer {
	return kind === "pbkdf2-sha256" ? hash.subarray(0, 32) : hash;
}

const BASE64 = /^[A-Za-z0-9+/_.-]+={0,2}$/;

/** Base64 with or without padding, base64url, and passlib's alphabet, which has `.` for `+`. */
export function fromBase64(text: string, part: string): Buffer {
	const bytes = Buffer.from(text.replaceAll(".", "+"), "base64");
	if (!BASE64.test(text) || text.replace(/={1,2}$/, "").length % 4 === 1)
		throw new HashFormatError(`must have its ${part} in base64`);
	return bytes;
}

function toBase64(bytes: Buffer): string {
	return bytes.toString("base64").replace(/={1,2}$/, "");
}

function unknownForm(): HashFormatError {
	return new HashFormatError(
		"must be a hash of bcrypt, argon2id, scrypt, PBKDF2-SHA256 or PBKDF2-SHA512 in one of the documented forms",
	);
}
