// Users of Auth0: the export with password hashes, and bulk import files.

import { formatImportedHash, fromBase64, readPasswordHash } from "../../crypto/imported-hash.ts";
import { HashFormatError } from "../../crypto/imported-hash-limits.ts";
import type { SourceFormat, SourceRecord } from "./source-record.ts";

/** Auth0's defaults for scrypt. */
const [COST, BLOCK_SIZE, PARALLELIZATION] = [16_384, 8, 1];

export const auth0: SourceFormat = {
	toUser(source) {
		const { username, email, email_verified = false, name, given_name, family_name, blocked } = source;
		const names = [given_name, family_name].filter((part) => typeof part === "string" && part !== "");
		return {
			...(typeof username === "string" && { username }),
			email,
			email_verified,
			// Auth0 uses the email address as the name of a user without one.
			display_name: name !== undefined && name !== email ? name : names.join(" "),
			status: blocked === true ? "disabled" : "active",
			...(typeof source.created_at === "string" && { created_at: source.created_at }),
		};
	},
	readHash({ passwordHash, password_hash, custom_password_hash }) {
		const bcrypt = passwordHash ?? password_hash;
		if (bcrypt !== undefined) return readPasswordHash(String(bcrypt));
		return custom_password_hash === undefined ? undefined : readCustom(Object(custom_password_hash));
	},
	fields: { display_name: "name", status: "blocked", password_hash: "password hash" },
};

function readCustom(custom: SourceRecord): string {
	const { algorithm } = custom;
	const { value, encoding } = Object(custom.hash);
	const { encoding: passwordEncoding = "utf8" } = Object(custom.password);
	if (passwordEncoding !== "utf8") throw new HashFormatError("must have the password encoding utf8");
	if (algorithm === "bcrypt" || algorithm === "argon2" || algorithm === "pbkdf2")
		return readPasswordHash(String(value));
	if (algorithm !== "scrypt")
		throw new HashFormatError("must have the algorithm argon2, bcrypt, pbkdf2 or scrypt");
	const { cost = COST, blockSize = BLOCK_SIZE, parallelization = PARALLELIZATION } = custom;
	const logN = Math.log2(Number(cost));
	if (![logN, blockSize, parallelization].every((each) => Number.isSafeInteger(each)))
		throw new HashFormatError(
			"must have cost, a power of 2, and whole numbers blockSize and parallelization",
		);
	const { value: salt, encoding: saltEncoding = "utf8" } = Object(custom.salt);
	return formatImportedHash({
		kind: "scrypt",
		logN,
		blockSize: Number(blockSize),
		lanes: Number(parallelization),
		salt: decode(salt, saltEncoding, "salt"),
		hash: decode(value, encoding, "hash"),
	});
}

function decode(value: unknown, encoding: unknown, part: string): Buffer {
	const text = String(value ?? "");
	if (encoding === "utf8" && part === "salt") return Buffer.from(text);
	if (encoding === "base64") return fromBase64(text, part);
	if (encoding === "hex" && /^([0-9a-f]{2})+$/i.test(text)) return Buffer.from(text, "hex");
	throw new HashFormatError(`must have its ${part} in base64 or hex, matching its encoding`);
}
