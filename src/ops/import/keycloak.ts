// Users of a Keycloak realm, in the format of `kc.sh export`.

import { formatImportedHash, fromBase64 } from "../../crypto/imported-hash.ts";
import { HashFormatError, type HashParameters } from "../../crypto/imported-hash-limits.ts";
import { createdAtOf, type SourceFormat, type SourceRecord } from "./source-record.ts";

export const keycloak: SourceFormat = {
	toUser(source) {
		const { username, email, emailVerified, firstName, lastName, enabled, createdTimestamp } = source;
		const names = [firstName, lastName].filter((name) => typeof name === "string" && name !== "");
		return {
			// Realms whose users sign in by email address store it as the username.
			...(username !== email && { username }),
			email,
			email_verified: emailVerified ?? false,
			display_name: names.join(" "),
			status: enabled === false ? "disabled" : "active",
			...createdAtOf(createdTimestamp),
		};
	},
	readHash({ credentials }) {
		const all: readonly unknown[] = Array.isArray(credentials) ? credentials : [];
		const password = all.map(Object).find(({ type }) => type === "password");
		return password === undefined ? undefined : readCredential(password);
	},
	fields: {
		email_verified: "emailVerified",
		display_name: "firstName and lastName",
		created_at: "createdTimestamp",
		password_hash: "credentials",
	},
};

function readCredential({ secretData, credentialData }: SourceRecord): string {
	const secret = parseObject(secretData, "secretData");
	const data = parseObject(credentialData, "credentialData");
	return formatImportedHash({
		...parametersOf(data),
		salt: fromBase64(String(secret.salt ?? ""), "salt"),
		hash: fromBase64(String(secret.value ?? ""), "value"),
	});
}

function parametersOf({ algorithm, hashIterations, additionalParameters }: SourceRecord): HashParameters {
	const iterations = toNumber(hashIterations, "hashIterations");
	if (algorithm === "pbkdf2-sha256" || algorithm === "pbkdf2-sha512") return { kind: algorithm, iterations };
	if (algorithm !== "argon2")
		throw new HashFormatError("must have the algorithm argon2, pbkdf2-sha256 or pbkdf2-sha512");
	// Each value is a list with one string.
	const { type, version, memory, parallelism } = Object(additionalParameters);
	if (String(type) !== "id" || String(version) !== "1.3")
		throw new HashFormatError("must have the type id and the version 1.3 of argon2");
	const memoryKib = toNumber(memory, "memory");
	return { kind: "argon2id", memoryKib, passes: iterations, lanes: toNumber(parallelism, "parallelism") };
}

function toNumber(value: unknown, name: string): number {
	if (!/^[1-9]\d{0,9}$/.test(String(value)))
		throw new HashFormatError(`must have ${name}, a whole number from 1`);
	return Number(value);
}

/** The export contains these objects as JSON strings. */
function parseObject(value: unknown, name: string): SourceRecord {
	try {
		return Object(JSON.parse(String(value)));
	} catch (cause) {
		throw new HashFormatError(`must have ${name}, a JSON object as text`, { cause });
	}
}
