// The guard of the open APIs: proves a signed request, step by step, in the order of contract section 7.

import { sha256Hex } from "../../crypto/digest.ts";
import type { Guard } from "../../http/guard.ts";
import { requireHttps } from "../../http/transport.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { Scope } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import type { CallingClient, NonceStore, SigningClientStore, UseRecorder } from "./model.ts";
import {
	clientOf,
	type Proof,
	readHeaders,
	STEPS_AFTER_BODY,
	STEPS_BEFORE_BODY,
	type StepDeps,
} from "./signed-steps.ts";

export interface SignedGuardDeps {
	readonly db: Persistence<{ signingClients: SigningClientStore; nonces: NonceStore }>;
	readonly memory: ClientMemory;
	readonly clock: Clock;
	readonly uses: UseRecorder;
}

/** A guard that also says which scope it asks for. */
export interface SignedGuard extends Guard<CallingClient> {
	readonly scope: Scope | undefined;
}

/**
 * Admits a client whose request is proved; with `scope`, only if it was given that scope. Nothing is written
 * before the nonce is claimed, so a request refused earlier burns none; the claim is on disk before the endpoint runs.
 */
export function signedGuard(deps: SignedGuardDeps, scope?: Scope): SignedGuard {
	const { db, memory, clock, uses } = deps;
	const { signingClients, nonces } = db.stores;
	const steps: StepDeps = {
		memory,
		clock,
		scope,
		requireHttps,
		findClient: (apiKey) => signingClients.findByApiKey(apiKey),
		claimNonce: (clientId, nonce, signedAtSeconds) => nonces.claim(clientId, nonce, signedAtSeconds),
	};
	return {
		security: "signed",
		scope,
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
			const proof: Proof = { message: request, bodySha256: "" };
			for (const step of STEPS_BEFORE_BODY) step.run(proof, steps);
		},
		async admit(request) {
			const proof: Proof = { message: request, bodySha256: sha256Hex(request.rawBody) };
			readHeaders(proof);
			for (const step of STEPS_AFTER_BODY) {
				const pending = step.run(proof, steps);
				if (pending !== undefined) await pending;
				// Even one that lacks the scope was proved, and its nonce is used.
				if (step.name === "nonce")
					uses.note(clientOf(proof).id, clock(), request.ip, proof.missedAllowlist === true);
			}
			const client = clientOf(proof);
			return {
				id: client.id,
				tenantId: client.tenantId,
				appId: client.appId,
				scopes: memory.scopes(client.scopes),
				secretSealed: proof.secretSealed ?? "",
			};
		},
	};
}
