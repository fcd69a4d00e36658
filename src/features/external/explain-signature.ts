// Explains to an administrator what became, or would become, of a signed request: every step of the guard, over a
// request that is only told of. Writes nothing, uses no nonce up, and gives no signature away.

import { type SignedParts, stringToSign, verifyTextSignature } from "../../crypto/request-signature.ts";
import { findSignedDifference, type SignedDifference } from "../../crypto/string-to-sign-difference.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError, type ErrorCode } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { type ApiClient, type ApiClientStore, apiClientNotFound, type Scope } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import { liveKeys } from "./credentials.ts";
import { explainCredentials } from "./explain-credentials.ts";
import type { NonceStore, SigningClient, SigningClientStore } from "./model.ts";
import {
	type Proof,
	type SignedMessage,
	STEPS_AFTER_BODY,
	STEPS_BEFORE_BODY,
	type Step,
	type StepDeps,
	type StepName,
} from "./signed-steps.ts";
import { bodyDigest, messageOf, partsOf, type ToldRequest } from "./told-request.ts";

/** An open API as the map of routes has it. */
export interface OpenApi {
	readonly scope: Scope | undefined;
	/** Content type, JSON and schema. @throws AppError. */
	checkBody(body: Buffer, contentType: string | undefined): void;
}

export interface ExplainDeps {
	readonly db: Persistence<{
		apiClients: ApiClientStore;
		signingClients: SigningClientStore;
		nonces: NonceStore;
	}>;
	readonly memory: ClientMemory;
	readonly clock: Clock;
	requireHttps(message: Pick<SignedMessage, "scheme">): void;
	findOpenApi(method: string, target: string): OpenApi | undefined;
}

export type CheckName = StepName | "body";

export interface CheckOutcome {
	readonly check: CheckName;
	readonly result: "passed" | "failed" | "skipped";
	/** What the service answers; null unless failed. */
	readonly code: ErrorCode | null;
	readonly message: string;
	/** What only an administrator is told. */
	readonly details: readonly string[];
}

export interface Explanation {
	readonly stringToSign: string;
	/** Null when the strings are the same, or none was given. */
	readonly difference: SignedDifference | null;
	/** Whether `X-Signature` is that of the string given, with a Secret that counts; null when none was given. */
	readonly isGivenStringSigned: boolean | null;
	/** In the order of contract section 7. */
	readonly checks: readonly CheckOutcome[];
}

/** The client's state is that of now, whenever the request came. @throws AppError `api_client.not_found`. */
export async function explainSignature(
	deps: ExplainDeps,
	{ tenantId, id }: { readonly tenantId: string; readonly id: string },
	told: ToldRequest,
): Promise<Explanation> {
	const client = await deps.db.stores.apiClients.findById(tenantId, id);
	const own = client && (await deps.db.stores.signingClients.findByApiKey(client.apiKey));
	if (client === undefined || own?.tenantId !== tenantId) throw apiClientNotFound();
	const nowMs = told.receivedAtMs ?? deps.clock();
	const message = messageOf(told);
	const parts = partsOf(message, bodyDigest(told));
	const signature = message.headerValues("x-signature")[0] ?? "";
	const api = deps.findOpenApi(told.method, told.target);
	const text = stringToSign(parts);
	const given = told.stringToSign;
	return {
		stringToSign: text,
		difference: (given !== undefined && findSignedDifference(text, given)) || null,
		isGivenStringSigned:
			given === undefined
				? null
				: liveKeys(deps.memory, own, nowMs).some(({ key }) => verifyTextSignature(key, given, signature)),
		checks: [
			...(await runSteps(deps, { client, own, told, nowMs, message, parts, signature, api })),
			checkBody(told, message, api),
		],
	};
}

interface Case {
	readonly client: ApiClient;
	readonly own: SigningClient;
	readonly told: ToldRequest;
	readonly nowMs: number;
	readonly message: SignedMessage;
	readonly parts: SignedParts;
	readonly signature: string;
	readonly api: OpenApi | undefined;
}

async function runSteps(deps: ExplainDeps, asked: Case): Promise<CheckOutcome[]> {
	const { client, own, nowMs, message, parts, signature } = asked;
	const proof: Proof = { message, bodySha256: parts.bodySha256 };
	const { nonces } = deps.db.stores;
	const steps: StepDeps = {
		memory: deps.memory,
		clock: () => nowMs,
		requireHttps: deps.requireHttps,
		// A key of another client is as good as none: nothing of that client is looked at.
		findClient: async (apiKey) => (apiKey === client.apiKey ? own : undefined),
		claimNonce: (clientId, nonce, signedAtSeconds) => nonces.isFree(clientId, nonce, signedAtSeconds),
		scope: asked.api?.scope,
	};
	const outcomes: CheckOutcome[] = [];
	for (const step of [...STEPS_BEFORE_BODY, ...STEPS_AFTER_BODY]) {
		const why = skipReason(step, proof, asked);
		if (why !== undefined) outcomes.push(outcome(step.name, "skipped", why));
		else outcomes.push(await runStep(step, proof, steps));
		if (step.name !== "signature") continue;
		const last = outcomes.pop();
		if (last !== undefined) {
			const details = explainCredentials(deps.memory, { client, own, parts, signature, nowMs });
			outcomes.push(last.result === "skipped" ? last : { ...last, details });
		}
		// What follows is about this client, whoever signed.
		proof.client = own;
	}
	return outcomes;
}

async function runStep(step: Step, proof: Proof, deps: StepDeps): Promise<CheckOutcome> {
	try {
		await step.run(proof, deps);
		const isMiss = step.name === "allowlist" && proof.missedAllowlist === true;
		return outcome(step.name, "passed", isMiss ? "not on the allowlist, which only reports" : "");
	} catch (error) {
		return failure(step.name, error);
	}
}

function skipReason(step: Step, proof: Proof, { told, parts, api }: Case): string | undefined {
	if (step.needs !== "nothing" && proof.headers === undefined) return "the headers cannot be read";
	if (step.name === "allowlist" && told.ip === undefined) return "no ip was given";
	if (step.name === "nonce" && !/^[0-9]{10}$/.test(parts.timestamp)) return "the timestamp cannot be read";
	if (step.name === "scope" && api === undefined) return "no open API has this method and path";
	return undefined;
}

function checkBody(told: ToldRequest, message: SignedMessage, api: OpenApi | undefined): CheckOutcome {
	if (api === undefined) return outcome("body", "skipped", "no open API has this method and path");
	if (told.body === undefined && told.bodySha256 !== undefined)
		return outcome("body", "skipped", "only the digest of the body was given");
	try {
		api.checkBody(told.body ?? Buffer.alloc(0), message.headerValues("content-type")[0]);
		return outcome("body", "passed", "");
	} catch (error) {
		return failure("body", error);
	}
}

function outcome(check: CheckName, result: "passed" | "skipped", message: string): CheckOutcome {
	return { check, result, code: null, message, details: [] };
}

function failure(check: CheckName, error: unknown): CheckOutcome {
	if (!(error instanceof AppError)) throw error;
	return { check, result: "failed", code: error.code, message: error.message, details: [] };
}
