// The checks of a signed request, as a list of steps in a fixed order. The guard runs them, and so does the explanation
// of a failure.

import { type SignedParts, TIMESTAMP } from "../../../crypto/request-signature.ts";
import type { Scope } from "../../../domain/api-client.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../../../domain/nonce.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { AppError } from "../../../kernel/error.ts";
import { ipInList, parseIp } from "../../../kernel/ip.ts";
import type { Platform } from "../../platform.ts";
import type { ClientCache } from "./credentials.ts";
import { areValid, checkCredentials, refusalReason } from "./credentials.ts";
import { readSignatureHeaders, type SignatureHeaders } from "./signature-headers.ts";

/** A received or a reported request, as the steps read it. */
export interface SignedMessage {
	readonly method: string;
	/** Exactly as on the request line. */
	readonly target: string;
	readonly scheme: "http" | "https";
	/** The caller's IP address as canonical text. */
	readonly ip: string;
	readonly headers: {
		readonly "transfer-encoding"?: string | undefined;
		readonly "content-length"?: string | undefined;
	};
	/** Every value of a header in order, by its lower-case name. */
	headerValues(name: string): readonly string[];
}

/** The state of one request: each step adds what later ones need. */
export class Proof {
	readonly message: SignedMessage;
	/** Lower-case hex SHA-256 of the raw body; `""` before it is read. */
	bodySha256: string;
	/** Set by the step `headers`. */
	headers: SignatureHeaders | undefined = undefined;
	/** The client of the API key, authenticated or not, for the log. */
	claimed: SigningClient | undefined = undefined;
	/** Set by the step `signature`. */
	client: SigningClient | undefined = undefined;
	/** The sealed Secret that created the signature, or the id of the key. */
	signedWith: string | undefined = undefined;
	/** The IP address is not on the allowlist, which is in report mode. */
	missedAllowlist = false;

	constructor(message: SignedMessage, bodySha256 = "") {
		this.message = message;
		this.bodySha256 = bodySha256;
	}
}

export type StepContext = Pick<Platform, "clock"> & {
	readonly cache: ClientCache;
	/** Throws unless the transport is allowed. */
	requireHttps(message: SignedMessage): void;
	findClient(apiKey: string): Promise<SigningClient | undefined>;
	/** Returns false for a used nonce. May throw a limit of the client. The guard claims the nonce; the explanation only looks it up. */
	claimNonce(client: SigningClient, nonce: string, signedAtSeconds: number): Promise<boolean>;
	/** The scope that the endpoint requires. */
	readonly scope: Scope | undefined;
};

/** In the order in which they run. */
export const STEP_NAMES = [
	"https",
	"target",
	"body_allowed",
	"headers",
	"timestamp",
	"signature",
	"allowlist",
	"nonce",
	"scope",
] as const;
export type StepName = (typeof STEP_NAMES)[number];

export interface Step {
	readonly name: StepName;
	/** What the step reads from the proof. */
	readonly needs: "nothing" | "headers" | "client";
	/** @throws AppError if the check fails. */
	run(proof: Proof, context: StepContext): void | Promise<void>;
}

/** Run before any byte of the body is read. */
export const STEPS_BEFORE_BODY: readonly Step[] = [
	{ name: "https", needs: "nothing", run: ({ message }, context) => context.requireHttps(message) },
	{ name: "target", needs: "nothing", run: ({ message }) => requireOriginForm(message) },
	{ name: "body_allowed", needs: "nothing", run: ({ message }) => requireNoBodyOnGet(message) },
	{ name: "headers", needs: "nothing", run: readHeaders },
	{ name: "timestamp", needs: "headers", run: requireFreshTimestamp },
];

/** Run after the raw body has been read. No step before `nonce` writes. */
export const STEPS_AFTER_BODY: readonly Step[] = [
	{ name: "signature", needs: "headers", run: requireSignature },
	{ name: "allowlist", needs: "client", run: requireAllowedIp },
	{ name: "nonce", needs: "client", run: requireFreshNonce },
	{ name: "scope", needs: "client", run: requireScope },
];

/** The client signs the target as sent, so other forms would be ambiguous (RFC 9112, section 3.2). */
function requireOriginForm({ target }: SignedMessage): void {
	if (target.startsWith("/") && !target.includes("#")) return;
	throw new AppError(
		"request.target_form",
		"the request target must be a path with an optional query and without a fragment",
	);
}

function requireNoBodyOnGet({ method, headers }: SignedMessage): void {
	if (method !== "GET" && method !== "HEAD") return;
	if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
	throw new AppError("request.body_not_allowed", `a ${method} request must not have a body`);
}

function readHeaders(proof: Proof): void {
	proof.headers = readSignatureHeaders((name) => proof.message.headerValues(name));
}

function requireFreshTimestamp(proof: Proof, { clock }: StepContext): void {
	const { timestamp } = headersOf(proof);
	if (!TIMESTAMP.test(timestamp))
		throw new AppError("signature.timestamp", "X-Timestamp must be a Unix time in seconds, with ten digits");
	const now = Math.floor(clock() / 1000);
	if (Math.abs(now - Number(timestamp)) <= SIGNATURE_WINDOW_SECONDS) return;
	throw new AppError(
		"signature.timestamp",
		`X-Timestamp is more than ${SIGNATURE_WINDOW_SECONDS} s away from the service's clock (${now})`,
	);
}

/**
 * Returns the same message after the same work for an unknown, disabled, unclaimed, or expired client, a wrong tenant
 * or application, and a wrong signature, so that the response does not reveal which of them it was.
 */
function requireSignature(proof: Proof, context: StepContext): Promise<void> {
	return context.findClient(headersOf(proof).apiKey).then((client) => checkSignature(proof, context, client));
}

function checkSignature(
	proof: Proof,
	{ cache, clock }: StepContext,
	client: SigningClient | undefined,
): void {
	const { tenantId, appId, apiKey, timestamp, nonce, signature } = headersOf(proof);
	const { bodySha256 } = proof;
	const { method, target } = proof.message;
	const parts: SignedParts = { method, target, tenantId, appId, apiKey, timestamp, nonce, bodySha256 };
	if (client !== undefined) proof.claimed = client;
	const checks = checkCredentials(cache, client, parts, signature, clock());
	if (client === undefined || !areValid(checks)) {
		const reason = refusalReason(client, checks);
		throw new AppError("signature.invalid", "signature or credentials are not valid", { reason });
	}
	proof.client = client;
	proof.signedWith = checks.signedWith;
}

function requireAllowedIp(proof: Proof, { cache }: StepContext): void {
	const client = clientOf(proof);
	const { ip } = proof.message;
	const allowlist = cache.allowlist(client.ipAllowlist);
	if (allowlist.length === 0) return;
	const address = parseIp(ip);
	if (address !== undefined && ipInList(allowlist, address)) return;
	if (client.ipAllowlistMode === "report") {
		proof.missedAllowlist = true;
		return;
	}
	throw new AppError("ip.not_allowed", `the IP address ${ip} is not on the allowlist of this API client`);
}

function requireFreshNonce(proof: Proof, { claimNonce }: StepContext): Promise<void> {
	const { nonce, timestamp } = headersOf(proof);
	return claimNonce(clientOf(proof), nonce, Number(timestamp)).then(requireClaimed);
}

function requireClaimed(isFresh: boolean): void {
	if (isFresh) return;
	throw new AppError("nonce.reused", "X-Nonce was used before: every request needs a new nonce");
}

function requireScope(proof: Proof, { cache, scope }: StepContext): void {
	if (scope === undefined || cache.scopes(clientOf(proof).scopes).includes(scope)) return;
	throw new AppError("scope.missing", `this API client lacks the scope ${scope}`);
}

function headersOf({ headers }: Proof): SignatureHeaders {
	if (headers === undefined) throw new Error("a step ran before the headers were read");
	return headers;
}

export function clientOf({ client }: Proof): SigningClient {
	if (client === undefined) throw new Error("a step ran before the signature was verified");
	return client;
}
