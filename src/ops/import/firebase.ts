// Users of Firebase, in the JSON of `firebase auth:export`.

import { convertFirebaseHash, type FirebaseProject } from "../../crypto/firebase-hash.ts";
import { fromBase64 } from "../../crypto/imported-hash.ts";
import { HashFormatError } from "../../crypto/imported-hash-limits.ts";
import { type StartError, usageError } from "../../kernel/start-error.ts";
import { createdAtOf, type SourceFormat } from "./source-record.ts";

/** @throws StartError of kind `usage` for missing or invalid hash parameters of the project. */
export function firebase(hashConfig: string | undefined): SourceFormat {
	const project = parseProject(hashConfig);
	return {
		toUser({ email, emailVerified, displayName, disabled, createdAt }) {
			return {
				email,
				email_verified: emailVerified ?? false,
				display_name: displayName ?? "",
				status: disabled === true ? "disabled" : "active",
				...createdAtOf(createdAt),
			};
		},
		readHash({ passwordHash, salt }) {
			if (passwordHash === undefined) return undefined;
			const hash = fromBase64(String(passwordHash), "hash");
			return convertFirebaseHash({ hash, salt: fromBase64(String(salt ?? ""), "salt") }, project);
		},
		fields: {
			email_verified: "emailVerified",
			display_name: "displayName",
			status: "disabled",
			created_at: "createdAt",
			password_hash: "passwordHash",
		},
	};
}

/** Parses the text that the Firebase console shows. Messages never contain the signer key. */
function parseProject(text: string | undefined): FirebaseProject {
	if (text === undefined)
		throw usageError(
			"users of Firebase need --hash-config FILE with the password hash parameters that the Firebase console shows",
		);
	const value = (name: string): string => {
		const found = new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([A-Za-z0-9+/_=-]+)`).exec(text)?.[1];
		if (found === undefined) throw invalid(`has no ${name}`);
		return found;
	};
	const number = (name: string): number => {
		if (!/^[1-9]\d{0,2}$/.test(value(name))) throw invalid(`must have ${name}, a whole number from 1 to 999`);
		return Number(value(name));
	};
	if (value("algorithm") !== "SCRYPT") throw invalid("must have the algorithm SCRYPT");
	try {
		return {
			signerKey: fromBase64(value("base64_signer_key"), "signer key"),
			saltSeparator: fromBase64(value("base64_salt_separator"), "salt separator"),
			rounds: number("rounds"),
			memCost: number("mem_cost"),
		};
	} catch (cause) {
		if (!(cause instanceof HashFormatError)) throw cause;
		throw invalid(cause.message, cause);
	}
}

function invalid(problem: string, cause?: unknown): StartError {
	return usageError(`the file of --hash-config ${problem}`, { cause });
}
