// The wire form of a signature explanation: the reported request and the result of each check.

import {
	boolean,
	choice,
	custom,
	exactText,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	timeInput,
} from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { parseIp } from "../../../kernel/ip.ts";
import type { Explanation } from "./explain-signature.ts";
import type { ReportedRequest } from "./reported-request.ts";
import { STEP_NAMES } from "./signed-steps.ts";

const HEADERS_MAX = 100;
const TARGET_MAX = 8_192;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** A header value: no control characters except tab. */
const headerText = {
	type: "string",
	maxLength: 8_192,
	pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$",
};

type SentHeaders =
	| readonly (readonly [string, string])[]
	| Readonly<Record<string, string | readonly string[]>>;
const headersSchema = custom<SentHeaders>(
	{
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
	},
	{
		examples: [[["X-Nonce", "0199f3a0-5c11-7d7e-9d2b-1f0c6f6f7a10"]]],
		description:
			'The headers as sent: pairs (`[["X-Nonce", "…"], …]`), which can contain repeated headers, or an object. Only the six signature headers, `Content-Type`, `Content-Length`, and `Transfer-Encoding` are read.',
	},
);

export const explainBody = object({
	method: exactText({ max: 16, description: "The method as on the request line." }),
	target: exactText({ max: TARGET_MAX, description: "The path and query exactly as on the request line." }),
	headers: headersSchema,
	body_base64: optional(
		exactText({ max: 60_000, description: "The raw body; omit it for a request without a body." }),
	),
	body_sha256: optional(
		exactText({
			max: 64,
			description: "The SHA-256 of the body, in place of the body: 64 lower-case hex digits.",
		}),
	),
	scheme: optional(choice(["http", "https"], { description: "Default `https`." })),
	ip: optional(
		exactText({ max: 64, description: "The caller's IP address; without it, the allowlist is not checked." }),
	),
	received_at: optional(timeInput("When the request was received, to check its timestamp; default now.")),
	string_to_sign: optional(
		exactText({ max: 16_384, description: "The nine lines that the client signed, to compare." }),
	),
});

const checkSchema = object({
	check: choice([...STEP_NAMES, "body"]),
	result: choice(["passed", "failed", "skipped"]),
	code: nullable(plain("The error code of the response; null unless failed.")),
	message: plain(),
	details: list(plain(), { description: "Details that the response does not reveal to callers." }),
});

export const explanationSchema = object(
	{
		accepted: boolean("True if no check failed. A skipped check might still fail."),
		failed_check: nullable(plain("The first failed check, which determines the response.")),
		string_to_sign: plain("The string that the service signs, with an empty line for a missing header."),
		difference: nullable(
			object(
				{
					line: integer("From 1."),
					name: plain(),
					service: nullable(plain()),
					client: nullable(plain()),
					hint: plain(),
				},
				{ description: "The first line in which the client's `string_to_sign` differs." },
			),
		),
		client_string_signed: nullable(
			boolean(
				"Whether `X-Signature` is valid for the client's `string_to_sign` with a valid Secret. If so, the Secret is correct and the string is wrong.",
			),
		),
		checks: list(checkSchema),
	},
	{ title: "SignatureExplanation" },
);

/** @throws AppError `request.invalid` for values that a request cannot have. */
export function toReportedRequest(body: Infer<typeof explainBody>): ReportedRequest {
	return {
		method: parseMethod(body.method),
		target: parseTarget(body.target),
		scheme: body.scheme ?? "https",
		ip: body.ip === undefined ? undefined : parseAddress(body.ip),
		headers: toPairs(body.headers),
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
		client_string_signed: explained.isReportedStringSigned,
		checks: checks.map((check) => ({ ...check, details: [...check.details] })),
	};
}

function parseMethod(method: string): string {
	if (/^[A-Za-z]+$/.test(method)) return method;
	throw invalidField("method", "http_method");
}

function parseTarget(target: string): string {
	if (/^[\x21-\x7e\x80-\xff]+$/.test(target)) return target;
	throw invalidField("target", "request_target");
}

function parseAddress(text: string): string {
	const address = parseIp(text);
	if (address !== undefined) return address.text;
	throw invalidField("ip", "ip");
}

function parseBody(base64: string | undefined, sha256: string | undefined) {
	if (base64 !== undefined && sha256 !== undefined) throw invalidField("body_sha256", "absent_with_body");
	if (base64 !== undefined && !BASE64.test(base64)) throw invalidField("body_base64", "base64");
	if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw invalidField("body_sha256", "sha256");
	return { body: base64 === undefined ? undefined : Buffer.from(base64, "base64"), bodySha256: sha256 };
}

function toPairs(headers: SentHeaders): (readonly [string, string])[] {
	if (isList(headers)) return [...headers];
	return Object.entries(headers).flatMap(([name, value]) =>
		typeof value === "string" ? [[name, value] as const] : value.map((each) => [name, each] as const),
	);
}

function isList(headers: SentHeaders): headers is readonly (readonly [string, string])[] {
	return Array.isArray(headers);
}
