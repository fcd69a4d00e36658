// Asks a gate to decide on a request, and describes its decision.

import { hex } from "./bytes.ts";
import { originOf, requireAll } from "./origins.ts";
import { permits } from "./permits.ts";

/** The caller of an allowed request. */
export interface Caller {
	readonly kind: "public" | "partner" | "person" | "program";
	/** Null for `public`. */
	readonly id: string | null;
	readonly name: string;
	/** The program that uses the token of a person. */
	readonly through: string | null;
	/**
	 * If a program acts for the person: that program, then the one at which the person signed in; otherwise empty. With
	 * `requireToken` only the program that acts: a token does not name the other one.
	 */
	readonly chain: readonly string[];
	/** Compare with `permits`. */
	readonly permissions: readonly string[];
	/** Whether the caller is a test client, whose requests must have no real effect. */
	readonly isTest: boolean;
}

/** A response that the application must return in place of its own. */
export interface Refusal {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export interface GatedRequest {
	readonly method: string;
	/** Path and query, exactly as on the request line. */
	readonly target: string;
	readonly scheme: "http" | "https";
	/** The IP address of the caller. */
	readonly ip: string;
	/** @returns all values of the header, joined as HTTP defines; undefined or null without it. @param name in lower case */
	header(name: string): string | null | undefined;
	readonly body: Uint8Array<ArrayBuffer>;
}

/** Decides whether a request may pass. It never throws: if it cannot decide, the request is refused with 503. */
export type Gate = (request: GatedRequest) => Promise<{ readonly caller: Caller } | Refusal>;

export interface GateOptions {
	/** The base URL of the service. */
	readonly url: string;
	readonly applicationId: string;
	/** As displayed, including `gk_`. */
	readonly gateKey: string;
	/** How long to wait for a decision; default 5,000 ms. */
	readonly timeoutMs?: number;
	/** Called with the reason if the gate could not decide. Default: `console.error`. */
	readonly report?: (reason: unknown) => void;
	/** Default: the global `fetch`. */
	readonly fetch?: typeof fetch;
}

/**
 * Headers that a gate reads. Others, such as those of another service, never leave the application. From the last five,
 * frameworks read another method or path, so the gate refuses requests that have one.
 */
const READ_HEADERS =
	"accept access-control-request-headers access-control-request-method authorization content-digest cookie dpop origin upgrade x-api-key x-app-id x-nonce x-signature x-tenant-id x-timestamp " +
	"x-http-method-override x-http-method x-method-override x-original-url x-rewrite-url";
/** Headers of a refusal that the caller needs. */
const REFUSAL_HEADERS =
	"access-control-allow-credentials access-control-allow-origin access-control-expose-headers " +
	"content-type latchkey-reason latchkey-refusal latchkey-request-id location retry-after vary www-authenticate";

/** Asks the gate of an application about each request: signed calls of partners, sessions and tokens of people, and programs. */
export function createGate({
	url,
	applicationId,
	gateKey,
	timeoutMs = 5_000,
	// biome-ignore lint/suspicious/noConsole: the operator must learn of it without an option
	report = console.error,
	fetch: send = fetch,
}: GateOptions): Gate {
	requireAll({ url, applicationId, gateKey });
	const endpoint = new URL(`/gate/${applicationId}/verify`, originOf(url));
	return async ({ header, body, method, target, scheme, ip }) => {
		try {
			const headers = picked(READ_HEADERS, header);
			const body_sha256 = hex(await crypto.subtle.digest("SHA-256", body));
			const response = await send(endpoint, {
				method: "POST",
				headers: {
					accept: "application/problem+json",
					"content-type": "application/json",
					"x-gate-key": gateKey,
				},
				body: JSON.stringify({ method, target, scheme, ip, headers, body_sha256 }),
				// A redirect would send the key of the gate elsewhere.
				redirect: "manual",
				signal: AbortSignal.timeout(timeoutMs),
			});
			const text = await response.text();
			const code = response.headers.get("latchkey-refusal");
			if (response.ok) {
				const { allowed, caller, permissions } = JSON.parse(text).data;
				if (allowed !== true) throw new Error("the gate sent no decision");
				const isTest = response.headers.get("latchkey-mode") === "test";
				return { caller: { chain: [], ...caller, permissions, isTest } };
			}
			// A wrong gate key is not the caller's mistake.
			if (response.status < 400 || code === null || code === "gate.key")
				throw new Error(`the gate responded with ${response.status} ${code ?? "and no decision"}`);
			// The gate sends `-` for a header without a value.
			const passedOn = picked(
				REFUSAL_HEADERS,
				(name) => response.headers.get(name)?.replace(/^-$/, "") || null,
			);
			return { status: response.status, headers: { "cache-control": "no-store", ...passedOn }, body: text };
		} catch (reason) {
			report(reason);
			return refuse(503, "service.unavailable", "the gate is unavailable", { "retry-after": "5" });
		}
	};
}

/** A gate that also requires a permission, for routes without a rule of their own. */
export function requirePermission(gate: Gate, permission: string): Gate {
	return async (request) => {
		const decision = await gate(request);
		if (!("caller" in decision) || permits(decision.caller.permissions, permission)) return decision;
		const challenge = `Bearer error="insufficient_scope", scope="${permission}"`;
		return refuse(403, "scope.missing", `this requires the permission ${permission}`, {
			"www-authenticate": challenge,
		});
	};
}

/** A refusal in the form of the service. */
export function refuse(
	status: number,
	code: string,
	detail: string,
	headers: Readonly<Record<string, string>> = {},
): Refusal {
	return {
		status,
		headers: {
			"cache-control": "no-store",
			"content-type": "application/problem+json",
			"latchkey-refusal": code,
			...headers,
		},
		body: JSON.stringify({ status, code, detail, error: detail }),
	};
}

/** The rest of the body is still to arrive. */
export function tooLarge(): Refusal {
	return refuse(413, "request.too_large", "the body exceeds 1 MiB", { connection: "close" });
}

function picked(names: string, header: GatedRequest["header"]): Record<string, string> {
	const found: Record<string, string> = {};
	for (const name of names.split(" ")) {
		const value = header(name);
		if (value != null) found[name] = value;
	}
	return found;
}
