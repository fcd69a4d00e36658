// Public keys of OAuth clients (RFC 7517), which verify their `private_key_jwt` authentication.

import { createPublicKey } from "node:crypto";
import type { InvalidEntry } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";

/** The public members that are stored, by key type. Others, such as certificates, are not used. */
const MEMBERS = {
	EC: ["crv", "x", "y"],
	RSA: ["n", "e"],
	OKP: ["crv", "x"],
} as const;
type KeyType = keyof typeof MEMBERS;

/** Signatures by key type (RFC 7518, RFC 8037). */
const ALGORITHMS: Readonly<Record<KeyType, readonly string[]>> = {
	EC: ["ES256"],
	RSA: ["RS256", "PS256"],
	OKP: ["EdDSA", "Ed25519"],
};
const CURVE: Readonly<Partial<Record<KeyType, string>>> = { EC: "P-256", OKP: "Ed25519" };
/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
/** Coordinates have 32 bytes (RFC 7518, section 6.2.1.2; RFC 8037, section 2). */
const FORM: Readonly<Record<KeyType, RegExp>> = {
	EC: /^[A-Za-z0-9_-]{43}$/,
	RSA: /^[A-Za-z0-9_-]+$/,
	OKP: /^[A-Za-z0-9_-]{43}$/,
};
const RSA_BITS_MIN = 2048;
const RSA_BITS_MAX = 4096;
export const KID_MAX = 256;

/** The public members, in a fixed order. */
export type PublicKeyMembers = Readonly<Record<string, string>>;

/**
 * Reads a P-256, Ed25519 or RSA key (2048 to 4096 bits) that can verify signatures. Members that are not needed are
 * dropped.
 */
export function readClientKey(
	jwk: Readonly<Record<string, unknown>>,
): { readonly key: PublicKeyMembers } | { readonly problem: Problem } {
	const privateMember = PRIVATE_MEMBERS.find((name) => Object.hasOwn(jwk, name));
	if (privateMember !== undefined) return { problem: problem("private_key", { member: privateMember }) };
	const { kty, crv, alg, kid } = jwk;
	if (!isKeyType(kty)) return { problem: problem("key_type") };
	if (crv !== CURVE[kty]) return { problem: problem("key_curve", { curve: CURVE[kty] ?? "none" }) };
	const algorithms = ALGORITHMS[kty];
	if (alg !== undefined && !algorithms.some((one) => one === alg))
		return { problem: problem("key_algorithm", { algorithms }) };
	if (!mayVerify(jwk)) return { problem: problem("key_use") };
	if (kid !== undefined && (typeof kid !== "string" || kid === "" || kid.length > KID_MAX))
		return { problem: problem("key_id", { max: KID_MAX }) };
	const key: Record<string, string> = { kty };
	for (const name of MEMBERS[kty]) {
		const value = jwk[name];
		if (typeof value !== "string" || (name !== "crv" && !FORM[kty].test(value)))
			return { problem: problem("key_member", { member: name }) };
		key[name] = value;
	}
	const defect = problemOfKey(key);
	if (defect !== undefined) return { problem: defect };
	return {
		key: {
			...key,
			use: "sig",
			...(typeof alg === "string" && { alg }),
			...(typeof kid === "string" && { kid }),
		},
	};
}

/** Reads the keys of a set. With several keys, each must have a `kid` of its own. */
export function readClientKeys(jwks: readonly Readonly<Record<string, unknown>>[]): {
	readonly keys: readonly PublicKeyMembers[];
	readonly problems: readonly InvalidEntry[];
} {
	const problems: InvalidEntry[] = [];
	const keys: PublicKeyMembers[] = [];
	const kids = new Set<unknown>();
	for (const [index, jwk] of jwks.entries()) {
		const read = readClientKey(jwk);
		if ("problem" in read) problems.push({ index, problem: read.problem });
		else if (jwks.length > 1 && read.key.kid === undefined)
			problems.push({ index, problem: problem("key_id_required") });
		else if (kids.has(read.key.kid)) problems.push({ index, problem: problem("key_id_duplicate") });
		else {
			kids.add(read.key.kid);
			keys.push(read.key);
		}
	}
	return { keys, problems };
}

function isKeyType(kty: unknown): kty is KeyType {
	return typeof kty === "string" && Object.hasOwn(MEMBERS, kty);
}

function mayVerify({ use, key_ops: operations }: Readonly<Record<string, unknown>>): boolean {
	if (use !== undefined && use !== "sig") return false;
	return operations === undefined || (Array.isArray(operations) && operations.includes("verify"));
}

/** Imported by the library that verifies, which checks that a point lies on its curve. */
function problemOfKey(key: Readonly<Record<string, string>>): Problem | undefined {
	let details: ReturnType<typeof createPublicKey>["asymmetricKeyDetails"];
	try {
		details = createPublicKey({ key, format: "jwk" }).asymmetricKeyDetails;
	} catch {
		return problem("key_unusable");
	}
	if (key.kty !== "RSA") return undefined;
	const { modulusLength = 0, publicExponent = 0n } = details ?? {};
	if (modulusLength < RSA_BITS_MIN || modulusLength > RSA_BITS_MAX)
		return problem("key_bits", { min: RSA_BITS_MIN, max: RSA_BITS_MAX });
	return publicExponent < 3n || publicExponent % 2n === 0n ? problem("key_exponent") : undefined;
}
