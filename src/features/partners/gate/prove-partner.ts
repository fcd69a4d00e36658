// Authenticates the API client that signed a request to an application, by the steps of signed requests.

import type { AskedGate } from "../../../domain/gate.ts";
import type { ProvedCaller } from "../../../domain/gate-decision.ts";
import type { SigningClient, UseRecorder } from "../../../domain/signing-client.ts";
import type { Needs } from "../../platform.ts";
import type { ClientCache } from "../external/credentials.ts";
import {
	clientOf,
	Proof,
	type SignedMessage,
	STEPS_AFTER_BODY,
	STEPS_BEFORE_BODY,
	type StepContext,
} from "../external/signed-steps.ts";
import type { TestCallRecorder } from "../external/test-calls.ts";
import type { AskedCall, CallProgress } from "./asked-call.ts";
import { signedBodyDigest } from "./body-digest.ts";

export type PartnerNeeds = Needs<"signingClients" | "nonces" | "accessFacts", "clock"> & {
	readonly clients: ClientCache;
	readonly uses: UseRecorder;
	readonly testCalls: TestCallRecorder;
	/** @throws AppError `transport.https_required` */
	requireHttps(message: SignedMessage): void;
};

/** A partner or a test client, and the digest of the body that it signed. */
export type ProvedPartner = { readonly bodySha256: string } & (
	| { readonly caller: ProvedCaller }
	| { readonly testClient: Pick<SigningClient, "id" | "name"> }
);

/**
 * Runs the steps of signed requests in their order. The nonce is claimed, durably, before this resolves. An API client of
 * another application is unknown, and so is a test client of another tenant.
 *
 * @throws AppError as a signed request, `gate.body_unbound`, `gate.request`.
 */
export async function provePartner(
	needs: PartnerNeeds,
	applicationId: string,
	gate: AskedGate,
	call: AskedCall,
	progress: CallProgress,
): Promise<ProvedPartner> {
	const { signingClients, nonces, accessFacts } = needs.db.stores;
	const steps: StepContext = {
		cache: needs.clients,
		clock: needs.clock,
		scope: undefined,
		requireHttps: needs.requireHttps,
		async findClient(apiKey) {
			const client = await signingClients.findByApiKey(apiKey);
			if (client?.mode === "test") return client.tenantId === gate.tenantId ? client : undefined;
			return client?.appId === applicationId ? client : undefined;
		},
		async claimNonce({ id, mode }, ...nonce) {
			if (mode === "test") await needs.testCalls.limit(id);
			return await nonces.claim(id, ...nonce);
		},
	};
	const proof = new Proof(messageOf(call));
	for (const step of STEPS_BEFORE_BODY) step.run(proof, steps);
	proof.bodySha256 = signedBodyDigest(call);
	for (const step of STEPS_AFTER_BODY) {
		const pending = step.run(proof, steps);
		if (pending !== undefined) await pending;
		if (step.name === "signature" && proof.client?.mode === "test") {
			progress.caller = `partner:${proof.client.id}`;
			progress.testClientId = proof.client.id;
		}
	}
	const { id, name, mode } = clientOf(proof);
	needs.uses.record(id, needs.clock(), call.ip, proof.missedAllowlist);
	const { bodySha256 } = proof;
	if (mode === "test") return { testClient: { id, name }, bodySha256 };
	const facts = await accessFacts.loadOfCaller(gate.tenantId, { kind: "api_client", id }, applicationId);
	return {
		caller: { kind: "partner", id, name, facts, hasSecondFactor: false },
		bodySha256,
	};
}

/** Of the body, only the digest is known. */
function messageOf({ method, target, scheme, ip, headerValues }: AskedCall): SignedMessage {
	return { method, target, scheme, ip, headers: {}, headerValues };
}
