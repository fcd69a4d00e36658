// Parses the six headers of a signed request, which must each occur once and be well formed. Errors name the header and
// the problem, but never the value.

import { NONCE, SIGNATURE } from "../../../crypto/request-signature.ts";
import { API_KEY } from "../../../domain/api-client.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";

export type SignatureHeaders = Readonly<
	Record<"tenantId" | "appId" | "apiKey" | "timestamp" | "nonce" | "signature", string>
>;

interface HeaderRule {
	readonly name: string;
	isWellFormed(value: string): boolean;
	/** The minimum length in characters. */
	readonly min: number;
	readonly max: number;
	readonly characters: RegExp;
	/** Default: every length from `min` to `max`. */
	readonly lengths?: string;
	/** `characters` as text, for messages. */
	readonly allowed: string;
	/** What to expect, for a malformed value with valid length and characters. */
	readonly form: string;
}

const ID = {
	isWellFormed: (value: string) => parseId(value) !== undefined,
	min: 36,
	max: 36,
	characters: /^[0-9a-fA-F-]*$/,
	allowed: "0-9 a-f -",
	form: "a UUID",
};

const RULES: Readonly<Record<keyof SignatureHeaders, HeaderRule>> = {
	tenantId: { name: "X-Tenant-ID", ...ID },
	appId: { name: "X-App-ID", ...ID },
	apiKey: {
		name: "X-API-Key",
		isWellFormed: (value) => API_KEY.test(value),
		min: 19,
		max: 67,
		characters: /^[A-Za-z0-9_-]*$/,
		allowed: "A-Z a-z 0-9 _ -",
		form: "an API key, which begins with ak_",
	},
	// The next step checks the form.
	timestamp: {
		name: "X-Timestamp",
		isWellFormed: (value) => value !== "",
		min: 1,
		max: 10,
		characters: /^[0-9]*$/,
		allowed: "0-9",
		form: "Unix time in seconds",
	},
	nonce: {
		name: "X-Nonce",
		isWellFormed: (value) => NONCE.test(value),
		min: 16,
		max: 128,
		characters: /^[A-Za-z0-9._~-]*$/,
		allowed: "A-Z a-z 0-9 . _ ~ -",
		form: "a nonce",
	},
	signature: {
		name: "X-Signature",
		isWellFormed: (value) => SIGNATURE.test(value),
		min: 64,
		max: 128,
		lengths: "64, or 128 for a key",
		characters: /^[0-9a-fA-F]*$/,
		allowed: "0-9 a-f",
		form: "64 hex digits, or 128 for a key",
	},
};

/**
 * Refuses repeated headers, which Node would join or drop.
 *
 * @param headerValues returns all values of a header by its lower-case name
 * @throws AppError `signature.headers` for the first header that is missing, repeated, or malformed.
 */
export function readSignatureHeaders(headerValues: (name: string) => readonly string[]): SignatureHeaders {
	const read = (field: keyof SignatureHeaders): string => {
		const rule = RULES[field];
		const values = headerValues(rule.name.toLowerCase());
		const [value = ""] = values;
		if (values.length === 1 && rule.isWellFormed(value)) return value;
		throw new AppError("signature.headers", `header ${rule.name} ${problem(rule, values)}`);
	};
	return {
		tenantId: read("tenantId"),
		appId: read("appId"),
		apiKey: read("apiKey"),
		timestamp: read("timestamp"),
		nonce: read("nonce"),
		signature: read("signature"),
	};
}

function problem(
	{ min, max, lengths = span(min, max), characters, allowed, form }: HeaderRule,
	values: readonly string[],
): string {
	const [value, ...repeats] = values;
	if (value === undefined) return "is missing";
	if (repeats.length > 0) return `was sent ${values.length} times; it must be sent once`;
	if (value === "") return "is empty";
	if (!characters.test(value)) return `contains a character other than ${allowed}`;
	if (value.length < min) return `is too short: it has ${value.length} characters and must have ${lengths}`;
	if (value.length > max) return `is too long: it has ${value.length} characters and must have ${lengths}`;
	return `must be ${form}`;
}

function span(min: number, max: number): string {
	return min === max ? String(min) : `${min} to ${max}`;
}
