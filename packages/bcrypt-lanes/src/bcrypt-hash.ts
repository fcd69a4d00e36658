// The text form of a bcrypt hash: $version$cost$salt-and-digest, in bcrypt's own base64.

/** bcrypt ignores the rest of a password. */
export const BCRYPT_KEY_MAX_BYTES = 72;

/** Unused bits of last characters must be zero, so that each hash has only one text. */
const FORM =
	/^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$([./A-Za-z0-9]{21}[.Oeu])([./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/;
const BCRYPT_DIGITS = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export interface BcryptHash {
	readonly cost: number;
	/** 16 bytes. */
	readonly salt: Buffer;
	/** 23 bytes: bcrypt drops the last of its 24. */
	readonly digest: Buffer;
}

/** The versions 2a, 2b, and 2y, which are one algorithm; undefined for any other text. */
export function parseBcryptHash(text: string): BcryptHash | undefined {
	const [, cost, salt, digest] = FORM.exec(text) ?? [];
	if (cost === undefined || salt === undefined || digest === undefined) return undefined;
	return { cost: Number(cost), salt: decode(salt), digest: decode(digest) };
}

function decode(text: string): Buffer {
	const base64 = Array.from(text, (digit) => BASE64_DIGITS[BCRYPT_DIGITS.indexOf(digit)]).join("");
	return Buffer.from(base64, "base64");
}
