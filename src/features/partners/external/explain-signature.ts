// Explains to an administrator why a signed request is refused, by running every step of the guard on a reported request.
// Writes nothing, consumes no nonce, and reveals no valid signature.

import {
	SCHEMES,
	type Scheme,
	SIGNATURE,
	schemeOf,
	stringToSign,
	verifyEd25519,
	verifyTextSignature,
} from "../../../crypto/request-signature.ts";
import { findSignedDifference, type SignedDifference } from "../../../crypto/string-to-sign-difference.ts";
import { apiClientNotFound, type Scope } from "../../../domain/api-client.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { type ClientCache, liveKeys } from "./credentials.ts";
import { type CredentialsCase, explainCredentials } from "./explain-credentials.ts";
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
	/** Checks the content type, the JSON, and the schema. @throws AppError. */
	checkBody(body: Buffer, contentType: string | undefined): void;
}

export type ExplainNeeds = Needs<"apiClients" | "signingClients" | "nonces", "clock"> & {
	readonly cache: ClientCache;
	requireHttps(message: Pick<SignedMessage, "scheme">): void;
	findOpenApi(method: string, target: string): OpenApi | undefined;
};

type CheckName = StepName | "body";

interface CheckOutcome {
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
	/** Null if the strings are equal or none was reported. */
	readonly difference: SignedDifference | null;
	/** Whether `X-Signature` is valid for the reported string with a valid Secret; null if none was reported. */
	readonly isReportedStringSigned: boolean | null;
	/** In the order of the steps. */
	readonly checks: readonly CheckOutcome[];
}

/** Uses the client's current state even for an old request. @throws AppError `api_client.not_found`. */
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
	const scheme = schemeOfReport(request.stringToSign, signing, signature);
	const text = stringToSign(parts, scheme);
	const { stringToSign: reported } = request;
	const reportedCase = { client, signing, parts, signature, scheme, reported, nowMs, request, message, api };
	return {
		stringToSign: text,
		difference: (reported !== undefined && findSignedDifference(text, reported)) || null,
		isReportedStringSigned:
			reported === undefined
				? null
				: liveKeys(needed.cache, signing, nowMs).some(({ key }) =>
						verifyTextSignature(key, reported, signature),
					) ||
					needed.cache
						.publicKeys(signing.publicKeys)
						.some(({ key }) => verifyEd25519(key, reported, signature, "utf8")),
		checks: [...(await runSteps(needed, reportedCase)), checkBody(request, message, api)],
	};
}

/** That of the signature, unless it has neither length; then the reported one, or that of the client. */
function schemeOfReport(reported: string | undefined, signing: SigningClient, signature: string): Scheme {
	if (SIGNATURE.test(signature)) return schemeOf(signature);
	const named = SCHEMES.find((scheme) => reported?.startsWith(`${scheme}\n`));
	return (
		named ?? (signing.secretSealed === null && signing.publicKeys !== "[]" ? "V1-ED25519" : "V1-HMAC-SHA256")
	);
}

interface Case extends CredentialsCase {
	readonly request: ReportedRequest;
	readonly message: SignedMessage;
	readonly api: OpenApi | undefined;
}

async function runSteps(needed: ExplainNeeds, reportedCase: Case): Promise<CheckOutcome[]> {
	const { client, signing, nowMs, message, parts } = reportedCase;
	const proof = new Proof(message, parts.bodySha256);
	const { nonces } = needed.db.stores;
	const steps: StepContext = {
		cache: needed.cache,
		clock: () => nowMs,
		requireHttps: needed.requireHttps,
		// Treat the key of another client as unknown, so that nothing about that client is revealed.
		findClient: async (apiKey) => (apiKey === client.apiKey ? signing : undefined),
		claimNonce: ({ id }, nonce, signedAtSeconds) => nonces.isFree(id, nonce, signedAtSeconds),
		scope: reportedCase.api?.scope,
	};
	const outcomes: CheckOutcome[] = [];
	for (const step of [...STEPS_BEFORE_BODY, ...STEPS_AFTER_BODY]) {
		const reason = skipReason(step, proof, reportedCase);
		const ran = reason === undefined;
		const result = ran ? await runStep(step, proof, steps) : outcome(step.name, "skipped", reason);
		const isSignature = step.name === "signature";
		const details = isSignature && ran ? explainCredentials(needed.cache, reportedCase) : [];
		outcomes.push({ ...result, details });
		// Run the later steps for this client even if the signature check failed.
		if (isSignature) proof.client = signing;
	}
	return outcomes;
}

async function runStep(step: Step, proof: Proof, context: StepContext): Promise<CheckOutcome> {
	try {
		await step.run(proof, context);
		const isMiss = step.name === "allowlist" && proof.missedAllowlist;
		return outcome(
			step.name,
			"passed",
			isMiss ? "the IP address is not on the allowlist, which is in report mode" : "",
		);
	} catch (error) {
		return failure(step.name, error);
	}
}

function skipReason(step: Step, proof: Proof, { request, parts, api }: Case): string | undefined {
	if (step.needs !== "nothing" && proof.headers === undefined) return "the headers are not valid";
	if (step.name === "allowlist" && request.ip === undefined) return "no IP address was reported";
	if (step.name === "nonce" && !/^[0-9]{10}$/.test(parts.timestamp)) return "the timestamp is not valid";
	if (step.name === "scope" && api === undefined) return "no open API has this method and path";
	return undefined;
}

function checkBody(request: ReportedRequest, message: SignedMessage, api: OpenApi | undefined): CheckOutcome {
	if (api === undefined) return outcome("body", "skipped", "no open API has this method and path");
	if (request.body === undefined && request.bodySha256 !== undefined)
		return outcome("body", "skipped", "only the digest of the body was reported");
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
