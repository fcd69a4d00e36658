// Explains to an administrator why a signed request is refused: runs every step of the guard over a reported request.
// Writes nothing, consumes no nonce and reveals no valid signature.

import { type SignedParts, stringToSign, verifyTextSignature } from "../../../crypto/request-signature.ts";
import { findSignedDifference, type SignedDifference } from "../../../crypto/string-to-sign-difference.ts";
import { type ApiClient, apiClientNotFound, type Scope } from "../../../domain/api-client.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import type { ClientMemory } from "./credentials.ts";
import { liveKeys } from "./credentials.ts";
import { explainCredentials } from "./explain-credentials.ts";
import { bodyDigest, messageOf, partsOf, type ReportedRequest } from "./reported-request.ts";
import {
	Proof,
	type SignedMessage,
	STEPS_AFTER_BODY,
	STEPS_BEFORE_BODY,
	type Step,
	type StepContext,
	type StepName,
} from "./signed-steps.ts";

/** An open API in the map of routes. */
export interface OpenApi {
	readonly scope: Scope | undefined;
	/** Content type, JSON and schema. @throws AppError. */
	checkBody(body: Buffer, contentType: string | undefined): void;
}

export type ExplainNeeds = Needs<"apiClients" | "signingClients" | "nonces", "clock"> & {
	readonly memory: ClientMemory;
	requireHttps(message: Pick<SignedMessage, "scheme">): void;
	findOpenApi(method: string, target: string): OpenApi | undefined;
};

export type CheckName = StepName | "body";

export interface CheckOutcome {
	readonly check: CheckName;
	readonly result: "passed" | "failed" | "skipped";
	/** The error code of the response; null unless failed. */
	readonly code: ErrorCode | null;
	readonly message: string;
	/** For administrators only. */
	readonly details: readonly string[];
}

export interface Explanation {
	readonly stringToSign: string;
	/** Null if the strings are equal, or none was reported. */
	readonly difference: SignedDifference | null;
	/** Whether `X-Signature` is valid for the reported string with a valid Secret; null if none was reported. */
	readonly isReportedStringSigned: boolean | null;
	/** In the order of the steps. */
	readonly checks: readonly CheckOutcome[];
}

/** Uses the client's current state, whenever the request was sent. @throws AppError `api_client.not_found`. */
export async function explainSignature(
	needed: ExplainNeeds,
	{ tenantId, id }: { readonly tenantId: string; readonly id: string },
	request: ReportedRequest,
): Promise<Explanation> {
	const client = await needed.db.stores.apiClients.findById(tenantId, id);
	const signing = client && (await needed.db.stores.signingClients.findByApiKey(client.apiKey));
	if (client === undefined || signing?.tenantId !== tenantId) throw apiClientNotFound();
	const nowMs = request.receivedAtMs ?? needed.clock();
	const message = messageOf(request);
	const parts = partsOf(message, bodyDigest(request));
	const signature = message.headerValues("x-signature")[0] ?? "";
	const api = needed.findOpenApi(request.method, request.target);
	const text = stringToSign(parts);
	const { stringToSign: reported } = request;
	return {
		stringToSign: text,
		difference: (reported !== undefined && findSignedDifference(text, reported)) || null,
		isReportedStringSigned:
			reported === undefined
				? null
				: liveKeys(needed.memory, signing, nowMs).some(({ key }) =>
						verifyTextSignature(key, reported, signature),
					),
		checks: [
			...(await runSteps(needed, { client, signing, request, nowMs, message, parts, signature, api })),
			checkBody(request, message, api),
		],
	};
}

interface Case {
	readonly client: ApiClient;
	readonly signing: SigningClient;
	readonly request: ReportedRequest;
	readonly nowMs: number;
	readonly message: SignedMessage;
	readonly parts: SignedParts;
	readonly signature: string;
	readonly api: OpenApi | undefined;
}

async function runSteps(needed: ExplainNeeds, subject: Case): Promise<CheckOutcome[]> {
	const { client, signing, nowMs, message, parts, signature } = subject;
	const proof = new Proof(message, parts.bodySha256);
	const { nonces } = needed.db.stores;
	const steps: StepContext = {
		memory: needed.memory,
		clock: () => nowMs,
		requireHttps: needed.requireHttps,
		// The key of another client counts as unknown, so that nothing of that client is revealed.
		findClient: async (apiKey) => (apiKey === client.apiKey ? signing : undefined),
		claimNonce: (clientId, nonce, signedAtSeconds) => nonces.isFree(clientId, nonce, signedAtSeconds),
		scope: subject.api?.scope,
	};
	const outcomes: CheckOutcome[] = [];
	for (const step of [...STEPS_BEFORE_BODY, ...STEPS_AFTER_BODY]) {
		const reason = skipReason(step, proof, subject);
		if (reason !== undefined) outcomes.push(outcome(step.name, "skipped", reason));
		else outcomes.push(await runStep(step, proof, steps));
		if (step.name !== "signature") continue;
		const last = outcomes.pop();
		if (last !== undefined) {
			const details = explainCredentials(needed.memory, {
				client,
				signing,
				parts,
				signature,
				reported: subject.request.stringToSign,
				nowMs,
			});
			outcomes.push(last.result === "skipped" ? last : { ...last, details });
		}
		// Check the later steps for this client even if the signature failed.
		proof.client = signing;
	}
	return outcomes;
}

async function runStep(step: Step, proof: Proof, context: StepContext): Promise<CheckOutcome> {
	try {
		await step.run(proof, context);
		const isMiss = step.name === "allowlist" && proof.missedAllowlist;
		return outcome(step.name, "passed", isMiss ? "not on the allowlist, which is in report mode" : "");
	} catch (error) {
		return failure(step.name, error);
	}
}

function skipReason(step: Step, proof: Proof, { request, parts, api }: Case): string | undefined {
	if (step.needs !== "nothing" && proof.headers === undefined) return "the headers cannot be read";
	if (step.name === "allowlist" && request.ip === undefined) return "no ip was given";
	if (step.name === "nonce" && !/^[0-9]{10}$/.test(parts.timestamp)) return "the timestamp cannot be read";
	if (step.name === "scope" && api === undefined) return "no open API has this method and path";
	return undefined;
}

function checkBody(request: ReportedRequest, message: SignedMessage, api: OpenApi | undefined): CheckOutcome {
	if (api === undefined) return outcome("body", "skipped", "no open API has this method and path");
	if (request.body === undefined && request.bodySha256 !== undefined)
		return outcome("body", "skipped", "only the digest of the body was given");
	try {
		api.checkBody(request.body ?? Buffer.alloc(0), message.headerValues("content-type")[0]);
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
