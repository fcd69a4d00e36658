// The explanation of a signature on the wire: the request as it was sent, and what each check says of it.

import {
	boolean,
	choice,
	exactText,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	type Schema,
	timeInput,
} from "../../http/schema.ts";
import { invalidField } from "../../kernel/error.ts";
import { parseIp } from "../../kernel/ip.ts";
import type { Explanation } from "./explain-signature.ts";
import type { ToldRequest } from "./told-request.ts";

const HEADERS_MAX = 100;
const TARGET_MAX = 8_192;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** What a header's value can hold: no control character but the tab. */
const headerText = {
	type: "string",
	maxLength: 8_192,
	pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
};

type SentHeaders =
	| readonly (readonly [string, string])[]
	| Readonly<Record<string, string | readonly string[]>>;
const headersSchema: Schema<SentHeaders> = {
	type: ["array", "object"],
	items: { type: "array", items: headerText, minItems: 2, maxItems: 2 },
	maxItems: HEADERS_MAX,
	additionalProperties: {
		...headerText,
		type: ["string", "array"],
		items: headerText,
		maxItems: HEADERS_MAX,
	},
	maxProperties: HEADERS_MAX,
	description:
		'As sent: `[["X-Nonce", "…"], …]`, which shows repeats, or an object. Only the six signature headers, `Content-Type`, `Content-Length` and `Transfer-Encoding` are looked at.',
};

export const explainBody = object({
	method: exactText({ max: 16, description: "As on the request line." }),
	target: exactText({ max: TARGET_MAX, description: "Path and query exactly as on the request line." }),
	headers: headersSchema,
	body_base64: optional(
		exactText({ max: 60_000, description: "The raw body; leave it out when there was none." }),
	),
	body_sha256: optional(
		exactText({ max: 64, description: "Instead of the body: its SHA-256, 64 lower-case hex digits." }),
	),
	scheme: optional(choice(["http", "https"], { description: "`https` unless given." })),
	ip: optional(
		exactText({ max: 64, description: "The caller's address; without it the allowlist is not checked." }),
	),
	received_at: optional(
		timeInput({ description: "When the request came; now unless given. Decides about the timestamp." }),
	),
	string_to_sign: optional(
		exactText({ max: 16_384, description: "What the client signed, nine lines, to be compared." }),
	),
});

const checkSchema = object({
	check: choice([
		"https",
		"target",
		"body_allowed",
		"headers",
		"timestamp",
		"signature",
		"allowlist",
		"nonce",
		"scope",
		"body",
	]),
	result: choice(["passed", "failed", "skipped"]),
	code: nullable(plain({ description: "What the service answers; null unless failed." })),
	message: plain(),
	details: list(plain(), { description: "What callers are not told." }),
});

export const explanationSchema = object(
	{
		accepted: boolean({ description: "No check failed; those that were skipped may." }),
		failed_check: nullable(plain({ description: "The first that failed: what the service answers." })),
		string_to_sign: plain({ description: "What the service signs; an empty line for a missing header." }),
		difference: nullable(
			object(
				{
					line: integer({ description: "From 1." }),
					name: plain(),
					service: nullable(plain()),
					client: nullable(plain()),
					hint: plain(),
				},
				{ description: "The first line of the client's `string_to_sign` that differs." },
			),
		),
		client_string_signed: nullable(
			boolean({
				description:
					"Whether `X-Signature` is that of the client's `string_to_sign` with a Secret that counts: then the Secret is right and the string is wrong.",
			}),
		),
		checks: list(checkSchema),
	},
	{ title: "SignatureExplanation" },
);

/** @throws AppError `request.invalid` for what no request line and no body can hold. */
export function toToldRequest(body: Infer<typeof explainBody>): ToldRequest {
	return {
		method: parseMethod(body.method),
		target: parseTarget(body.target),
		scheme: body.scheme ?? "https",
		ip: body.ip === undefined ? undefined : parseCaller(body.ip),
		headers: pairsOf(body.headers),
		...parseBody(body.body_base64, body.body_sha256),
		receivedAtMs: body.received_at === undefined ? undefined : Date.parse(body.received_at),
		stringToSign: body.string_to_sign,
	};
}

export function toWireExplanation(explained: Explanation): Infer<typeof explanationSchema> {
	const { difference, checks } = explained;
	const failed = checks.find(({ result }) => result === "failed");
	return {
		accepted: failed === undefined,
		failed_check: failed?.check ?? null,
		string_to_sign: explained.stringToSign,
		difference: difference && {
			line: difference.line,
			name: difference.name,
			service: difference.expected,
			client: difference.given,
			hint: difference.hint,
		},
		client_string_signed: explained.isGivenStringSigned,
		checks: checks.map((check) => ({ ...check, details: [...check.details] })),
	};
}

function parseMethod(method: string): string {
	if (/^[A-Za-z]+$/.test(method)) return method;
	throw invalidField("method", "must be the method of a request line, e.g. POST");
}

function parseTarget(target: string): string {
	if (/^[\x21-\x7e\x80-\xff]+$/.test(target)) return target;
	throw invalidField("target", "must be what stood on the request line, without spaces and line breaks");
}

function parseCaller(text: string): string {
	const address = parseIp(text);
	if (address !== undefined) return address.text;
	throw invalidField("ip", "must be an IPv4 or IPv6 address");
}

function parseBody(base64: string | undefined, sha256: string | undefined) {
	if (base64 !== undefined && sha256 !== undefined)
		throw invalidField("body_sha256", "must not be given beside body_base64");
	if (base64 !== undefined && !BASE64.test(base64)) throw invalidField("body_base64", "must be base64");
	if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
		throw invalidField("body_sha256", "must be 64 lower-case hex digits");
	return { body: base64 === undefined ? undefined : Buffer.from(base64, "base64"), bodySha256: sha256 };
}

function pairsOf(headers: SentHeaders): (readonly [string, string])[] {
	if (isList(headers)) return [...headers];
	return Object.entries(headers).flatMap(([name, value]) =>
		typeof value === "string" ? [[name, value] as const] : value.map((each) => [name, each] as const),
	);
}

function isList(headers: SentHeaders): headers is readonly (readonly [string, string])[] {
	return Array.isArray(headers);
}
