// What a signed request is checked for, step by step, in the order of contract section 7: the guard and the
// explanation of a failure run this one list.

import { NONCE, SIGNATURE, type SignedParts, TIMESTAMP } from "../../crypto/request-signature.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { parseId } from "../../kernel/id.ts";
import { ipInList, parseIp } from "../../kernel/ip.ts";
import { API_KEY, type Scope } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import { judgeCredentials } from "./credentials.ts";
import { SIGNATURE_WINDOW_SECONDS, type SigningClient } from "./model.ts";

/** A request as the steps read it: one that arrived, or one that is only told of. */
export interface SignedMessage {
	readonly method: string;
	/** Exactly as on the request line. */
	readonly target: string;
	readonly scheme: "http" | "https";
	/** Canonical text of the caller's address. */
	readonly ip: string;
	readonly headers: {
		readonly "transfer-encoding"?: string | undefined;
		readonly "content-length"?: string | undefined;
	};
	/** Every value of a header, in order; `name` in lower case. */
	headerValues(name: string): readonly string[];
}

export interface SignatureHeaders {
	readonly tenantId: string;
	readonly appId: string;
	readonly apiKey: string;
	readonly timestamp: string;
	readonly nonce: string;
	readonly signature: string;
}

/** One request on its way through the steps: each adds what the later ones need. */
export interface Proof {
	readonly message: SignedMessage;
	/** Lower-case hex SHA-256 of the raw body; `""` before it has come. */
	readonly bodySha256: string;
	/** From the step `headers` on. */
	headers?: SignatureHeaders;
	/** From the step `signature` on. */
	client?: SigningClient;
	/** The sealed Secret that made the signature. */
	secretSealed?: string;
	/** The address is not on the allowlist, and the allowlist only reports. */
	missedAllowlist?: boolean;
}

export interface StepDeps {
	readonly memory: ClientMemory;
	readonly clock: Clock;
	/** The toolkit's rule about transport, which throws. */
	requireHttps(message: SignedMessage): void;
	findClient(apiKey: string): Promise<SigningClient | undefined>;
	/** False for a nonce that was used before; the guard's use of it is a claim. */
	claimNonce(clientId: string, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** What the endpoint asks for; undefined when nothing. */
	readonly scope: Scope | undefined;
}

export type StepName =
	| "https"
	| "target"
	| "body_allowed"
	| "headers"
	| "timestamp"
	| "signature"
	| "allowlist"
	| "nonce"
	| "scope";

export interface Step {
	readonly name: StepName;
	/** What of the proof it builds on; without it the step cannot run. */
	readonly needs: "nothing" | "headers" | "client";
	/** Passes, or throws an AppError. */
	run(proof: Proof, deps: StepDeps): void | Promise<void>;
}

/** Run before a byte of the body is read. */
export const STEPS_BEFORE_BODY: readonly Step[] = [
	{ name: "https", needs: "nothing", run: ({ message }, deps) => deps.requireHttps(message) },
	{ name: "target", needs: "nothing", run: ({ message }) => requireOriginForm(message) },
	{ name: "body_allowed", needs: "nothing", run: ({ message }) => requireNoBodyOnGet(message) },
	{ name: "headers", needs: "nothing", run: (proof) => void readHeaders(proof) },
	{ name: "timestamp", needs: "headers", run: requireFreshTimestamp },
];

/** Run over the raw body; nothing before the nonce writes. */
export const STEPS_AFTER_BODY: readonly Step[] = [
	{ name: "signature", needs: "headers", run: requireSignature },
	{ name: "allowlist", needs: "client", run: requireAllowedIp },
	{ name: "nonce", needs: "client", run: requireFreshNonce },
	{ name: "scope", needs: "client", run: requireScope },
];

/** What is signed is the request line as sent; other forms could name one thing and mean another. */
function requireOriginForm({ target }: SignedMessage): void {
	if (target.startsWith("/") && !target.includes("#")) return;
	throw new AppError(
		"request.target_form",
		"request target must be a path with an optional query, without a fragment",
	);
}

function requireNoBodyOnGet({ method, headers }: SignedMessage): void {
	if (method !== "GET" && method !== "HEAD") return;
	if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
	throw new AppError("request.body_not_allowed", `a ${method} request must not have a body`);
}

/** Six headers, each exactly once and well formed. */
export function readHeaders(proof: Proof): SignatureHeaders {
	const { message } = proof;
	const headers = {
		tenantId: readHeader(message, "x-tenant-id", isId),
		appId: readHeader(message, "x-app-id", isId),
		apiKey: readHeader(message, "x-api-key", (value) => API_KEY.test(value)),
		timestamp: readHeader(message, "x-timestamp", (value) => value !== ""),
		nonce: readHeader(message, "x-nonce", (value) => NONCE.test(value)),
		signature: readHeader(message, "x-signature", (value) => SIGNATURE.test(value)),
	};
	proof.headers = headers;
	return headers;
}

const isId = (value: string): boolean => parseId(value) !== undefined;

/** Node joins or drops repeats of a header; here a second one is an error, not a choice. */
function readHeader(message: SignedMessage, name: string, isWellFormed: (value: string) => boolean): string {
	const values = message.headerValues(name);
	if (values.length === 1 && isWellFormed(values[0] as string)) return values[0] as string;
	throw new AppError("signature.headers", `header ${name} must be sent exactly once and be well formed`);
}

function requireFreshTimestamp(proof: Proof, { clock }: StepDeps): void {
	const { timestamp } = headersOf(proof);
	if (!TIMESTAMP.test(timestamp))
		throw new AppError("signature.timestamp", "X-Timestamp must be Unix time in seconds, ten digits");
	const now = Math.floor(clock() / 1000);
	if (Math.abs(now - Number(timestamp)) <= SIGNATURE_WINDOW_SECONDS) return;
	throw new AppError(
		"signature.timestamp",
		`X-Timestamp is more than ${SIGNATURE_WINDOW_SECONDS} s away from the service's clock (${now})`,
	);
}

/**
 * One message and the same work for an unknown, disabled, unclaimed or expired client, a wrong tenant or
 * application and a wrong signature: which of them it was is nobody's business.
 */
async function requireSignature(proof: Proof, { findClient, memory, clock }: StepDeps): Promise<void> {
	const { signature, ...headers } = headersOf(proof);
	const { message } = proof;
	const parts: SignedParts = {
		...headers,
		method: message.method,
		target: message.target,
		bodySha256: proof.bodySha256,
	};
	const client = await findClient(parts.apiKey);
	const verdict = judgeCredentials(memory, client, parts, signature, clock());
	if (
		client === undefined ||
		verdict.secretSealed === undefined ||
		!verdict.isUsable ||
		!verdict.isTenantRight ||
		!verdict.isAppRight
	) {
		throw new AppError("signature.invalid", "signature or credentials are not valid");
	}
	proof.client = client;
	proof.secretSealed = verdict.secretSealed;
}

function requireAllowedIp(proof: Proof, { memory }: StepDeps): void {
	const client = clientOf(proof);
	const { ip } = proof.message;
	const allowlist = memory.allowlist(client.ipAllowlist);
	if (allowlist.length === 0) return;
	const address = parseIp(ip);
	if (address !== undefined && ipInList(allowlist, address)) return;
	if (client.ipAllowlistMode === "report") {
		proof.missedAllowlist = true;
		return;
	}
	throw new AppError("ip.not_allowed", `the caller's address ${ip} is not on this API client's allowlist`);
}

async function requireFreshNonce(proof: Proof, { claimNonce }: StepDeps): Promise<void> {
	const { nonce, timestamp } = headersOf(proof);
	if (await claimNonce(clientOf(proof).id, nonce, Number(timestamp))) return;
	throw new AppError("nonce.reused", "X-Nonce was used before: every request needs a new one");
}

function requireScope(proof: Proof, { memory, scope }: StepDeps): void {
	if (scope === undefined || memory.scopes(clientOf(proof).scopes).includes(scope)) return;
	throw new AppError("scope.missing", `this API client lacks the scope ${scope}`);
}

function headersOf({ headers }: Proof): SignatureHeaders {
	if (headers === undefined) throw new Error("a step ran before the headers were read");
	return headers;
}

export function clientOf({ client }: Proof): SigningClient {
	if (client === undefined) throw new Error("a step ran before the signature was proved");
	return client;
}
