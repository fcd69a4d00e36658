// Authenticates signed requests: the guard of the open APIs.

import { sha256Hex } from "../../../crypto/digest.ts";
import { API_KEY, type Scope } from "../../../domain/api-client.ts";
import type { ObservedRefusal, RefusalRecorder } from "../../../domain/refused-call.ts";
import type { CallingClient, UseRecorder } from "../../../domain/signing-client.ts";
import type { Guard, Refusal } from "../../../http/guard.ts";
import type { Incoming } from "../../../http/incoming.ts";
import { requireHttps } from "../../../http/transport.ts";
import type { Needs } from "../../platform.ts";
import type { ClientCache } from "./credentials.ts";
import { clientOf, Proof, STEPS_AFTER_BODY, STEPS_BEFORE_BODY, type StepContext } from "./signed-steps.ts";

const TENANT_ID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

type Needed = Needs<"signingClients" | "nonces", "clock" | "statistics"> & {
	readonly cache: ClientCache;
	readonly uses: UseRecorder;
	readonly refusals: RefusalRecorder;
};

/** Also called for refused requests, so that the log names the client of the API key. */
function logClient({ claimed, client }: Proof, request: Incoming): void {
	request.clientId = claimed?.id;
	request.tenantId = claimed?.tenantId;
	request.isSigned = client !== undefined;
}

/** The value of a header if it occurs once and matches `form`. */
function wellFormed(request: Incoming, name: string, form: RegExp): string | undefined {
	const [value, ...others] = request.headerValues(name);
	return value !== undefined && others.length === 0 && form.test(value) ? value : undefined;
}

/** Attributes a refused call to its client or, before the key is looked up, to the key and tenant in its headers. */
function refusedCall(request: Incoming, { error, path }: Refusal, atMs: number): ObservedRefusal {
	const { clientId: id, tenantId, isSigned: signatureValid, method, ip, requestId } = request;
	const client = id === undefined || tenantId === undefined ? undefined : { id, tenantId };
	const named = wellFormed(request, "x-tenant-id", TENANT_ID);
	return {
		client,
		apiKey: client === undefined ? wellFormed(request, "x-api-key", API_KEY) : undefined,
		namedTenantId: client === undefined ? named?.toLowerCase() : undefined,
		atMs,
		code: error.code,
		reason: error.reason ?? null,
		method,
		path,
		ip,
		requestId,
		signatureValid,
	};
}

/** A guard with the scope that it requires. */
export interface SignedGuard extends Guard<CallingClient, Proof> {
	readonly scope: Scope | undefined;
}

/**
 * Admits clients with a valid signature and, if `scope` is given, with that scope. No step writes before the nonce is
 * claimed, so a request refused earlier consumes no nonce. The claim is durable before the endpoint runs.
 */
export function signedGuard(needed: Needed, scope?: Scope): SignedGuard {
	const { db, cache, clock, uses, statistics, refusals } = needed;
	const { signingClients, nonces } = db.stores;
	const steps: StepContext = {
		cache,
		clock,
		scope,
		requireHttps,
		findClient: (apiKey) => signingClients.findByApiKey(apiKey),
		claimNonce: (clientId, nonce, signedAtSeconds) => nonces.claim(clientId, nonce, signedAtSeconds),
	};
	return {
		security: "signed",
		transport: "https",
		scope,
		allows: scope === undefined ? "any API client" : `API clients with the scope ${scope}`,
		errors: [
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
		beforeBody(request) {
			const proof = new Proof(request);
			for (const step of STEPS_BEFORE_BODY) step.run(proof, steps);
			return proof;
		},
		async admit(request, proof) {
			proof.bodySha256 = sha256Hex(request.rawBody);
			try {
				for (const step of STEPS_AFTER_BODY) {
					const pending = step.run(proof, steps);
					if (pending !== undefined) await pending;
					// This includes calls without the scope: they are authenticated, and their nonce is consumed.
					if (step.name === "nonce")
						uses.record(clientOf(proof).id, clock(), request.ip, proof.missedAllowlist);
				}
			} finally {
				logClient(proof, request);
			}
			const client = clientOf(proof);
			return {
				id: client.id,
				tenantId: client.tenantId,
				userId: null,
				actor: `api_client:${client.id}`,
				actorName: "",
				origin: request,
				appId: client.appId,
				scopes: cache.scopes(client.scopes),
				secretSealed: proof.secretSealed ?? "",
			};
		},
		async identify(request) {
			const apiKey = request.clientId === undefined ? wellFormed(request, "x-api-key", API_KEY) : undefined;
			if (apiKey === undefined) return;
			const client = await signingClients.findByApiKey(apiKey);
			request.clientId = client?.id;
			request.tenantId = client?.tenantId;
		},
		onResponse(request, refusal) {
			if (refusal !== undefined) refusals.record(refusedCall(request, refusal, clock()));
			else statistics.count(request.tenantId, "signed_call");
		},
	};
}
