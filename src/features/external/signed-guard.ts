// The guard of the open APIs: proves a signed request, step by step, in the order of contract section 7.

import { sha256Hex } from "../../crypto/digest.ts";
import {
	type HmacKey,
	NONCE,
	SIGNATURE,
	type SignedParts,
	TIMESTAMP,
	verifySignature,
} from "../../crypto/request-signature.ts";
import type { Guard } from "../../http/guard.ts";
import type { Incoming } from "../../http/incoming.ts";
import { requireHttps } from "../../http/transport.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { parseId } from "../../kernel/id.ts";
import { ipInList, parseIp } from "../../kernel/ip.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { API_KEY, isUsable, type Scope } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import {
	type CallingClient,
	type NonceStore,
	SIGNATURE_WINDOW_SECONDS,
	type SigningClient,
	type SigningClientStore,
	type UseRecorder,
} from "./model.ts";

export interface SignedGuardDeps {
	readonly db: Persistence<{ signingClients: SigningClientStore; nonces: NonceStore }>;
	readonly memory: ClientMemory;
	readonly clock: Clock;
	readonly uses: UseRecorder;
}

/**
 * Admits a client whose request is proved; with `scope`, only if it was given that scope. Nothing is written
 * before the nonce is claimed, so a request refused earlier burns none; the claim is on disk before the endpoint runs.
 */
export function signedGuard(deps: SignedGuardDeps, scope?: Scope): Guard<CallingClient> {
	return {
		security: "signed",
		allows: scope === undefined ? "any API client" : `API clients with the scope ${scope}`,
		errors: [
			"transport.https_required",
			"request.target_form",
			"request.body_not_allowed",
			"request.too_large",
			"signature.headers",
			"signature.timestamp",
			"signature.invalid",
			"ip.not_allowed",
			"nonce.reused",
			...(scope === undefined ? [] : (["scope.missing"] as const)),
		],
		needsBody: true,
		beforeBody(request) {
			requireHttps(request);
			requireOriginForm(request);
			requireNoBodyOnGet(request);
			const parts = readHeaders(request);
			requireFreshTimestamp(parts.timestamp, deps.clock());
		},
		async admit(request) {
			const { signature, ...headers } = readHeaders(request);
			const parts: SignedParts = {
				...headers,
				method: request.method,
				target: request.target,
				bodySha256: sha256Hex(request.rawBody),
			};
			const found = await deps.db.stores.signingClients.findByApiKey(parts.apiKey);
			const client = prove(deps, found, parts, signature);
			requireAllowedIp(deps, client, request.ip);
			const claimed = await deps.db.stores.nonces.claim(client.id, parts.nonce, Number(parts.timestamp));
			if (!claimed)
				throw new AppError("nonce.reused", "X-Nonce was used before: every request needs a new one");
			deps.uses.note(client.id, deps.clock(), request.ip);
			const scopes = deps.memory.scopes(client.scopes);
			if (scope !== undefined && !scopes.includes(scope)) {
				throw new AppError("scope.missing", `this API client lacks the scope ${scope}`);
			}
			return { id: client.id, tenantId: client.tenantId, appId: client.appId, scopes };
		},
	};
}

/** What is signed is the request line as sent; other forms could name one thing and mean another. */
function requireOriginForm({ target }: Incoming): void {
	if (target.startsWith("/") && !target.includes("#")) return;
	throw new AppError(
		"request.target_form",
		"request target must be a path with an optional query, without a fragment",
	);
}

function requireNoBodyOnGet({ method, headers }: Incoming): void {
	if (method !== "GET" && method !== "HEAD") return;
	if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return;
	throw new AppError("request.body_not_allowed", `a ${method} request must not have a body`);
}

interface SignatureHeaders {
	readonly tenantId: string;
	readonly appId: string;
	readonly apiKey: string;
	readonly timestamp: string;
	readonly nonce: string;
	readonly signature: string;
}

function readHeaders(request: Incoming): SignatureHeaders {
	return {
		tenantId: readHeader(request, "x-tenant-id", isId),
		appId: readHeader(request, "x-app-id", isId),
		apiKey: readHeader(request, "x-api-key", (value) => API_KEY.test(value)),
		timestamp: readHeader(request, "x-timestamp", (value) => value !== ""),
		nonce: readHeader(request, "x-nonce", (value) => NONCE.test(value)),
		signature: readHeader(request, "x-signature", (value) => SIGNATURE.test(value)),
	};
}

const isId = (value: string): boolean => parseId(value) !== undefined;

/** Node joins or drops repeats of a header; here a second one is an error, not a choice. */
function readHeader(request: Incoming, name: string, isWellFormed: (value: string) => boolean): string {
	const values = request.headerValues(name);
	if (values.length === 1 && isWellFormed(values[0] as string)) return values[0] as string;
	throw new AppError("signature.headers", `header ${name} must be sent exactly once and be well formed`);
}

function requireFreshTimestamp(timestamp: string, nowMs: number): void {
	if (!TIMESTAMP.test(timestamp))
		throw new AppError("signature.timestamp", "X-Timestamp must be Unix time in seconds, ten digits");
	const now = Math.floor(nowMs / 1000);
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
function prove(
	{ memory, clock }: SignedGuardDeps,
	client: SigningClient | undefined,
	parts: SignedParts,
	signature: string,
): SigningClient {
	const now = clock();
	const signed = keysOf(memory, client, now).map((key) => verifySignature(key, parts, signature));
	const isProved =
		client !== undefined &&
		isUsable(client, now) &&
		client.tenantId === parts.tenantId.toLowerCase() &&
		client.appId === parts.appId.toLowerCase() &&
		signed.includes(true);
	if (!isProved) throw new AppError("signature.invalid", "signature or credentials are not valid");
	return client;
}

/** The live Secrets' keys, the current one first; a key nobody has where there is none. */
function keysOf(memory: ClientMemory, client: SigningClient | undefined, nowMs: number): HmacKey[] {
	if (client === undefined || client.secretSealed === null) return [memory.strangerKey];
	const keys = [memory.secretKey(client.id, client.secretSealed)];
	const { previousSecretSealed, previousSecretExpiresAtMs } = client;
	if (
		previousSecretSealed !== null &&
		previousSecretExpiresAtMs !== null &&
		nowMs < previousSecretExpiresAtMs
	) {
		keys.push(memory.secretKey(client.id, previousSecretSealed));
	}
	return keys;
}

function requireAllowedIp({ memory }: SignedGuardDeps, client: SigningClient, ip: string): void {
	const allowlist = memory.allowlist(client.ipAllowlist);
	if (allowlist.length === 0) return;
	const address = parseIp(ip);
	if (address !== undefined && ipInList(allowlist, address)) return;
	throw new AppError("ip.not_allowed", `the caller's address ${ip} is not on this API client's allowlist`);
}
