// The responses of the gate: the headers that describe a decision, and the JSON for a middleware.

import type { AskedGate } from "../../../domain/gate.ts";
import { PUBLIC } from "../../../domain/gate-rule.ts";
import { AppError } from "../../../kernel/error.ts";
import type { AskedCall, CallProgress } from "./asked-call.ts";
import type { PassedCall } from "./decide-call.ts";

/** The value of a header without a value: Caddy forwards a placeholder for an absent one. */
const NONE = "-";
/** Bytes of `Latchkey-Permissions`. */
const PERMISSIONS_MAX = 4_096;

const ABSENT = {
	"latchkey-caller": NONE,
	"latchkey-name": NONE,
	"latchkey-through": NONE,
	"latchkey-tenant": NONE,
	"latchkey-mode": NONE,
	"latchkey-permissions": NONE,
	"latchkey-permissions-truncated": NONE,
	"latchkey-body-sha256": NONE,
	"latchkey-statement": NONE,
	"latchkey-refusal": NONE,
	"latchkey-reason": NONE,
};

type DecisionHeader = keyof typeof ABSENT | "latchkey-status" | "latchkey-request-id";

/** Marks the calls of test clients. */
const TEST_MODE = "test";

/** @param statement undefined if the gate creates none */
export function passedHeaders(
	{ tenantId }: AskedGate,
	{ requestId }: AskedCall,
	{ caller, permissions, isTest, bodySha256 }: PassedCall,
	statement: string | undefined,
): Readonly<Record<DecisionHeader, string>> {
	const listed = listedPermissions(permissions);
	return {
		"latchkey-caller": callerText(caller),
		"latchkey-name": encodeURIComponent(caller?.name ?? "") || NONE,
		"latchkey-through": caller?.through ?? NONE,
		"latchkey-tenant": tenantId,
		"latchkey-mode": isTest ? TEST_MODE : NONE,
		"latchkey-permissions": listed.join(" ") || NONE,
		"latchkey-permissions-truncated": listed.length < permissions.length ? "true" : NONE,
		"latchkey-body-sha256": bodySha256 ?? NONE,
		"latchkey-statement": statement ?? NONE,
		"latchkey-refusal": NONE,
		"latchkey-reason": NONE,
		"latchkey-status": "200",
		"latchkey-request-id": requestId,
	};
}

/** As in `Latchkey-Caller`. */
export function callerText(caller: PassedCall["caller"]): string {
	return caller === undefined ? PUBLIC : `${caller.kind}:${caller.id}`;
}

/** As many as the header may contain. */
function listedPermissions(permissions: readonly string[]): readonly string[] {
	let bytes = -1;
	const end = permissions.findIndex((permission) => {
		bytes += permission.length + 1;
		return bytes > PERMISSIONS_MAX;
	});
	return end === -1 ? permissions : permissions.slice(0, end);
}

export function passedBody({ caller, permissions, isTest }: PassedCall, rule: number | null): string {
	const { kind, id, name, through = null, chain, supporter } = caller ?? { kind: PUBLIC, id: null, name: "" };
	return JSON.stringify({
		data: {
			allowed: true,
			caller: { kind, id, name, through, ...(chain !== undefined && { chain }), ...actorOf(supporter) },
			permissions,
			rule,
			...(isTest && { mode: "test" }),
		},
	});
}

/** Who acts for the person, as in a token (RFC 8693, section 4.1). */
function actorOf(supporter: string | undefined) {
	return supporter !== undefined && { act: { sub: supporter } };
}

/**
 * The same error with the headers that describe it; `reply.ts` adds those of every refusal of a gate.
 *
 * @param urls where a browser signs in, and where a client finds out how to get a token; undefined if the gate has none
 */
export function refusalOf(
	error: AppError,
	progress: CallProgress,
	{
		signIn,
		metadataUrl,
		crossOrigin,
	}: {
		readonly signIn: string | undefined;
		readonly metadataUrl: string | undefined;
		readonly crossOrigin: Readonly<Record<string, string>>;
	},
): AppError {
	const { code, message, kind, fields, retryAfterSeconds, reason, cause } = error;
	const challenge = challengeOf(error, metadataUrl);
	const headers = {
		...ABSENT,
		...error.headers,
		...crossOrigin,
		...(signIn !== undefined && { location: signIn }),
		...(challenge !== undefined && { "www-authenticate": challenge }),
		"latchkey-caller": progress.caller ?? NONE,
		...(progress.testClientId !== undefined && { "latchkey-mode": TEST_MODE }),
	};
	return new AppError(code, message, {
		kind,
		fields,
		headers,
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
		...(reason !== undefined && { reason }),
		...(cause !== undefined && { cause }),
	});
}

/** Every 401 refers to the metadata, if there are any (RFC 9728, section 5.1). */
function challengeOf({ code, kind, headers }: AppError, metadataUrl: string | undefined): string | undefined {
	const own = headers["www-authenticate"] ?? CHALLENGES[code];
	if (metadataUrl === undefined || kind !== "unauthenticated") return own;
	const challenge = own ?? "Bearer";
	return `${challenge}${challenge.includes("=") ? "," : ""} resource_metadata="${metadataUrl}"`;
}

/** RFC 6750, section 3. */
const CHALLENGES: Readonly<Partial<Record<AppError["code"], string>>> = {
	"token.missing": "Bearer",
	"token.invalid": 'Bearer error="invalid_token"',
	"session.ended": "Bearer",
};
