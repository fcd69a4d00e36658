// `/api-clients/{id}/explain-signature`: why a signed request was refused, for the administrator who is asked.

import { parseJsonBody } from "../../http/body.ts";
import { data, endpoint } from "../../http/endpoint.ts";
import type { Guard, Route } from "../../http/guard.ts";
import {
	boolean,
	choice,
	exactText,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	type Schema,
	timeInput,
} from "../../http/schema.ts";
import { requireHttps } from "../../http/transport.ts";
import { invalidBody, validator } from "../../http/validation.ts";
import { invalidField } from "../../kernel/error.ts";
import { parseIp } from "../../kernel/ip.ts";
import type { SignedIn } from "../auth/model.ts";
import { type ExplainDeps, explainSignature, type OpenApi } from "./explain-signature.ts";
import type { SignedGuard } from "./signed-guard.ts";

export type ExplainEndpointDeps = Omit<ExplainDeps, "requireHttps" | "findOpenApi">;

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

const explainBody = object({
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

const explanationSchema = object(
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

/** `routes` is the whole map; it is asked when a request is explained. */
export function explainEndpoints(deps: ExplainEndpointDeps, routes: () => readonly Route[]) {
	const explainDeps: ExplainDeps = {
		...deps,
		requireHttps,
		findOpenApi: (method, target) => findOpenApi(routes(), method, target),
	};
	return {
		explain: endpoint<SignedIn>()({
			name: "explainSignature",
			summary: "Find out why a signature failed",
			description:
				"Runs the checks of the open APIs, in their order and all of them, over a request as it was sent, for this client as it is now. Stores nothing, uses no nonce up, and never shows the Secret or a right signature. A request that was accepted has used its nonce up: that check fails then. Rate limit and body size are not looked at.",
			ids: { id: "api_client.not_found" },
			body: explainBody,
			answer: data(200, explanationSchema, "What each check says."),
			async handle({ caller, ids: { id }, body }) {
				const client = { tenantId: caller.tenantId, id: id as string };
				const { difference, ...explained } = await explainSignature(explainDeps, client, {
					method: parseMethod(body.method),
					target: parseTarget(body.target),
					scheme: body.scheme ?? "https",
					ip: body.ip === undefined ? undefined : parseCaller(body.ip),
					headers: pairsOf(body.headers),
					...parseBody(body.body_base64, body.body_sha256),
					receivedAtMs: body.received_at === undefined ? undefined : Date.parse(body.received_at),
					stringToSign: body.string_to_sign,
				});
				const failed = explained.checks.find(({ result }) => result === "failed");
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
					checks: explained.checks.map((check) => ({ ...check, details: [...check.details] })),
				};
			},
		}),
	};
}

/** The route a signed request would reach; ids of whatever form. */
function findOpenApi(routes: readonly Route[], method: string, target: string): OpenApi | undefined {
	const [path = ""] = target.split("?", 1);
	// Every GET answers HEAD too.
	const wanted = method === "HEAD" ? "GET" : method;
	const route = routes.find(
		(row) => row.method === wanted && isSigned(row.guard) && pathPattern(row.path).test(path),
	);
	if (route === undefined || !isSigned(route.guard)) return undefined;
	const { body: schema } = route.endpoint;
	return {
		scope: route.guard.scope,
		checkBody(raw, contentType) {
			if (schema === undefined) return;
			const result = validator(schema)(parseJsonBody(raw, contentType) ?? {});
			if (result !== true) throw invalidBody(result);
		},
	};
}

function isSigned(guard: Guard<unknown>): guard is SignedGuard {
	return guard.security === "signed" && "scope" in guard;
}

function pathPattern(path: string): RegExp {
	const parts = path.split(/\{\w+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join("[^/]+")}$`);
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
