// Public keys of OAuth clients (RFC 7517), which verify their `private_key_jwt` authentication, and of partners.

import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { InvalidEntry } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";

/** Coordinates have 32 bytes (RFC 7518, section 6.2.1.2; RFC 8037, section 2), so the last two bits are zero. */
const COORDINATE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
/**
 * By key type: the public members that are stored (others, such as certificates, are not used) with their form, and
 * signatures (RFC 7518, RFC 8037).
 */
const KEY_TYPES = {
	EC: { members: ["crv", "x", "y"], form: COORDINATE, curve: "P-256", algorithms: ["ES256"] },
	RSA: { members: ["n", "e"], form: /^[A-Za-z0-9_-]+$/, curve: undefined, algorithms: ["RS256", "PS256"] },
	OKP: { members: ["crv", "x"], form: COORDINATE, curve: "Ed25519", algorithms: ["EdDSA", "Ed25519"] },
} as const;
type KeyType = keyof typeof KEY_TYPES;

/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
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
	const { members, form, curve, algorithms } = KEY_TYPES[kty];
	if (crv !== curve) return { problem: problem("key_curve", { curve: curve ?? "none" }) };
	if (alg !== undefined && !algorithms.some((one) => one === alg))
		return { problem: problem("key_algorithm", { algorithms }) };
	if (!mayVerify(jwk)) return { problem: problem("key_use") };
	if (kid !== undefined && (typeof kid !== "string" || kid === "" || kid.length > KID_MAX))
		return { problem: problem("key_id", { max: KID_MAX }) };
	const key: Record<string, string> = { kty };
	for (const name of members) {
		const value = jwk[name];
		if (typeof value !== "string" || (name !== "crv" && !form.test(value)))
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
	return typeof kty === "string" && Object.hasOwn(KEY_TYPES, kty);
}

function mayVerify({ use, key_ops: operations }: Readonly<Record<string, unknown>>): boolean {
	if (use !== undefined && use !== "sig") return false;
	return operations === undefined || (Array.isArray(operations) && operations.includes("verify"));
}

/** An Ed25519 key of a partner as stored. */
export interface PartnerKeyMembers {
	/** Its thumbprint (RFC 7638). */
	readonly id: string;
	readonly x: string;
}

/** Reads the public Ed25519 key of a partner. */
export function readPartnerKey(
	jwk: Readonly<Record<string, unknown>>,
): { readonly key: PartnerKeyMembers } | { readonly problem: Problem } {
	if (jwk.kty !== "OKP" && !PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name)))
		return { problem: problem("key_okp") };
	const read = readClientKey(jwk);
	if ("problem" in read) return read;
	const { x = "" } = read.key;
	const id = createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
	return { key: { id, x } };
}

export function ed25519PublicKey(x: string): KeyObject {
	return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

/** The key of no one, as expensive to verify with as a real one. */
export function ed25519Decoy(): KeyObject {
	return generateKeyPairSync("ed25519").publicKey;
}

/** The prime of the field, and d of the curve (RFC 8032, section 5.1). */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether the encoded y of RFC 8032, section 5.1.3, is canonical, belongs to a point of the curve, and that point's order
 * is not small. OpenSSL imports any 32 bytes. With a key of small order, one signature is valid for many messages.
 */
function isUsablePoint(x: string): boolean {
	const bytes = Buffer.from(x, "base64url").reverse();
	bytes[0] = (bytes[0] ?? 0) & 0x7f;
	let y = BigInt(`0x${bytes.toString("hex")}`);
	if (y >= P) return false;
	// x² = (y² - 1) / (d y² + 1) must be a square; the factors of a quotient and a product have the same square class.
	const u = mod(y * y - 1n);
	if (u !== 0n && power(u * mod(D * y * y + 1n), (P - 1n) / 2n) !== 1n) return false;
	// The order divides 8 if doubling three times gives the neutral element, whose y is 1. Doubling needs only y:
	// with x² from the equation of the curve, y' = (y² + x²) / (1 - d x² y²).
	for (let doubling = 0; doubling < 3; doubling++) {
		const yy = mod(y * y);
		const xx = mod((yy - 1n) * power(D * yy + 1n, P - 2n));
		y = mod((yy + xx) * power(1n - D * xx * yy, P - 2n));
	}
	return y !== 1n;
}

function mod(value: bigint): bigint {
	const rest = value % P;
	return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
	let result = 1n;
	let square = mod(base);
	for (let bits = exponent; bits > 0n; bits >>= 1n) {
		if (bits & 1n) result = (result * square) % P;
		square = (square * square) % P;
	}
	return result;
}

/** Imported by the library that verifies, which checks that a P-256 point lies on its curve. */
function problemOfKey(key: Readonly<Record<string, string>>): Problem | undefined {
	let details: ReturnType<typeof createPublicKey>["asymmetricKeyDetails"];
	try {
		details = createPublicKey({ key, format: "jwk" }).asymmetricKeyDetails;
	} catch {
		return problem("key_unusable");
	}
	if (key.kty === "OKP" && !isUsablePoint(key.x ?? "")) return problem("key_point");
	if (key.kty !== "RSA") return undefined;
	const { modulusLength = 0, publicExponent = 0n } = details ?? {};
	if (modulusLength < RSA_BITS_MIN || modulusLength > RSA_BITS_MAX)
		return problem("key_bits", { min: RSA_BITS_MIN, max: RSA_BITS_MAX });
	return publicExponent < 3n || publicExponent % 2n === 0n ? problem("key_exponent") : undefined;
}
