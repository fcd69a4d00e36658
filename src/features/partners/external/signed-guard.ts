// Authenticates signed requests: the guard of the open APIs.

import { sha256Hex } from "../../../crypto/digest.ts";
import { API_KEY, type Scope } from "../../../domain/api-client.ts";
import { NO_CALLER, type RefusedSignedCall } from "../../../domain/refusal.ts";
import type { CallingClient, SignedCaller, UseRecorder } from "../../../domain/signing-client.ts";
import type { Guard, Refusal } from "../../../http/describe/guard.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { requireHttps } from "../../../http/run/transport.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import type { ClientCache } from "./credentials.ts";
import { clientOf, Proof, STEPS_AFTER_BODY, STEPS_BEFORE_BODY, type StepContext } from "./signed-steps.ts";
import type { TestCallRecorder } from "./test-calls.ts";

const TENANT_ID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

type Needed = Needs<"signingClients" | "nonces", "clock" | "statistics" | "refusals"> & {
	readonly cache: ClientCache;
	readonly uses: UseRecorder;
	readonly testCalls: TestCallRecorder;
};

/** Also called for refused requests, so that the log names the client of the API key. */
function logClient({ claimed, client }: Proof, request: Incoming): void {
	request.clientId = claimed?.id;
	request.tenantId = claimed?.tenantId;
	request.isSigned = client !== undefined;
	if (client?.mode === "test") request.extraHeaders = TEST_MODE;
}

/** Marks every response to a call of a test client. */
const TEST_MODE = { "latchkey-mode": "test" };

/** The value of a header if it occurs once and matches `form`. */
function wellFormed(request: Incoming, name: string, form: RegExp): string | undefined {
	const [value, ...others] = request.headerValues(name);
	return value !== undefined && others.length === 0 && form.test(value) ? value : undefined;
}

/** Attributes a refused call to its client or, before the key is looked up, to the key and tenant in its headers. */
function refusedCall(request: Incoming, { error, path }: Refusal, atMs: number): RefusedSignedCall {
	const { clientId: id, tenantId, isSigned, method, ip, requestId } = request;
	const client = id === undefined || tenantId === undefined ? undefined : { id, tenantId };
	const named = wellFormed(request, "x-tenant-id", TENANT_ID);
	return {
		subject: "api_client",
		client,
		apiKey: wellFormed(request, "x-api-key", API_KEY),
		namedTenantId: client === undefined ? named?.toLowerCase() : undefined,
		atMs,
		code: error.code,
		reason: error.reason ?? null,
		method,
		path,
		rule: null,
		caller: isSigned && id !== undefined ? `partner:${id}` : NO_CALLER,
		ip,
		requestId,
	};
}

/** A guard with the scope that it requires. */
interface ScopedGuard<Caller> extends Guard<Caller, Proof> {
	readonly scope: Scope | undefined;
}

/**
 * Refuses test clients with 403 `test_client.not_allowed`; `orTest` is the same guard for a route that accepts them. Its
 * endpoint must read about people through `recordsFor` only.
 */
export interface SignedGuard extends ScopedGuard<CallingClient> {
	readonly orTest: ScopedGuard<SignedCaller>;
}

/**
 * Admits clients with a valid signature and, if `scope` is given, with that scope. No step writes before the nonce is
 * claimed, so a request refused earlier consumes no nonce. The claim is durable before the endpoint runs.
 */
export function signedGuard(needed: Needed, scope?: Scope): SignedGuard {
	const { db, cache, clock, uses, statistics, refusals, testCalls } = needed;
	const { signingClients, nonces } = db.stores;
	const steps: StepContext = {
		cache,
		clock,
		scope,
		requireHttps,
		findClient: (apiKey) => signingClients.findByApiKey(apiKey),
		async claimNonce({ id, mode }, ...nonce) {
			if (mode === "test") await testCalls.limit(id);
			return await nonces.claim(id, ...nonce);
		},
	};
	const allows = scope === undefined ? "any API client" : `API clients with the scope ${scope}`;
	const errors = [
		"request.target_form",
		"request.body_not_allowed",
		"request.too_large",
		"signature.headers",
		"signature.timestamp",
		"signature.invalid",
		"ip.not_allowed",
		"nonce.reused",
		...(scope === undefined ? [] : (["scope.missing"] as const)),
	] as const;
	const admit = async (request: Incoming, proof: Proof): Promise<SignedCaller> => {
		proof.bodySha256 = sha256Hex(request.rawBody);
		try {
			for (const step of STEPS_AFTER_BODY) {
				await step.run(proof, steps);
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
			mode: client.mode,
			scopes: cache.scopes(client.scopes),
			signedWith: proof.signedWith ?? "",
		};
	};
	const shared = {
		security: "signed",
		transport: "https",
		scope,
		beforeBody(request: Incoming) {
			const proof = new Proof(request);
			for (const step of STEPS_BEFORE_BODY) step.run(proof, steps);
			return proof;
		},
		async identify(request: Incoming) {
			const apiKey = request.clientId === undefined ? wellFormed(request, "x-api-key", API_KEY) : undefined;
			if (apiKey === undefined) return;
			const client = await signingClients.findByApiKey(apiKey);
			request.clientId = client?.id;
			request.tenantId = client?.tenantId;
		},
		onResponse(request: Incoming, refusal: Refusal | undefined) {
			const isTest = request.extraHeaders === TEST_MODE;
			if (isTest && request.clientId !== undefined) testCalls.record(request.clientId, refusal === undefined);
			if (refusal !== undefined) {
				refusals.record(refusedCall(request, refusal, clock()));
				return;
			}
			const { tenantId, clientId } = request;
			if (!isTest) statistics.count(tenantId, "signed_call");
			if (tenantId !== undefined && clientId !== undefined)
				statistics.countFor({ tenantId, id: clientId }, "signed_call");
		},
	} as const;
	return {
		...shared,
		allows,
		errors: [...errors, "test_client.not_allowed"],
		async admit(request, proof) {
			const caller = await admit(request, proof);
			if (caller.mode === "live") return caller;
			throw new AppError("test_client.not_allowed", "test clients may not call this endpoint");
		},
		orTest: { ...shared, allows: `${allows}; test clients`, errors, admit },
	};
}
