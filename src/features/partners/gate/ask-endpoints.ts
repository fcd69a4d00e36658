// `/gate/{application_id}`: where a proxy or a middleware asks whether a request may pass.

import type { AskedGate } from "../../../domain/gate.ts";
import { signInAt } from "../../../domain/gate-browser.ts";
import { NO_CALLER } from "../../../domain/refusal.ts";
import { pathOf } from "../../../domain/request-readings.ts";
import type { UseRecorder } from "../../../domain/signing-client.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountedEndpoint, MountResponse } from "../../../http/run/mount.ts";
import type { DescribedRefusals } from "../../../http/run/reply.ts";
import { shownPath } from "../../../http/run/request-log.ts";
import { requireHttps } from "../../../http/run/transport.ts";
import { AppError, type ErrorCode } from "../../../kernel/error.ts";
import type { Needs, Platform } from "../../platform.ts";
import { createClientCache } from "../external/credentials.ts";
import type { TestCallRecorder } from "../external/test-calls.ts";
import type { AskedCall, CallProgress } from "./asked-call.ts";
import { appendedCall, proxiedCall, reportedCall } from "./asked-call-wire.ts";
import { browserEndpoints } from "./browser-endpoints.ts";
import { crossOriginHeaders, preflightHeaders } from "./cross-origin.ts";
import { type DecisionNeeds, decideCall, type PassedCall } from "./decide-call.ts";
import { createGateCache } from "./gate-cache.ts";
import {
	countForGate,
	credentialKey,
	type GateLimiters,
	RefusalLimit,
	senderKey,
	visitorKey,
} from "./gate-limits.ts";
import { callerText, passedBody, passedHeaders, refusalOf } from "./gate-response-wire.ts";
import { isWrongProof, presentedCredential } from "./presented-credential.ts";
import { admitProxy, refuseKeyInQuery } from "./proxy-guard.ts";

/** Counts decisions. Labels come from closed lists, and the ids of gates. */
export interface GateMeter {
	/** @param applicationId `-` before the gate is known. @param code `ok`, or the code of the refusal. */
	decide(applicationId: string, kind: string, code: ErrorCode | "ok", milliseconds: number): void;
}

export interface GateOptions {
	readonly limits: GateLimiters;
	readonly monotonicMs: () => number;
	readonly uses: UseRecorder;
	readonly testCalls: TestCallRecorder;
	readonly meter: GateMeter | undefined;
}

interface Asking {
	readonly needs: DecisionNeeds &
		Needs<"gates", "signGateStatement" | "publicUrl" | "signIns" | "statistics" | "refusals" | "gateSample">;
	readonly options: GateOptions;
	readonly refusalLimit: RefusalLimit;
	readonly keyLimit: RefusalLimit;
	/** Reads the request that the gate decides. */
	read(request: Incoming): AskedCall;
	readonly isJson: boolean;
	/** The query of the request is for the gate: the target is in headers. */
	readonly mayRedirect: boolean;
}

/** Usually the caller did use HTTPS, but the proxy that terminated it is not trusted. */
const HTTPS_REQUIRED =
	"signed requests require HTTPS: if a proxy terminates TLS, the operator must list its IP address in LATCHKEY_TRUSTED_PROXIES";

/** A proxy such as nginx passes on only 401 and 403, and takes the status of a refusal from a header. */
export const gateRefusals: DescribedRefusals = {
	below: "/gate/",
	headersOf: (status, code, requestId) => ({
		"latchkey-status": String(status),
		"latchkey-refusal": code,
		"latchkey-request-id": requestId,
	}),
};

export function gateEndpoints(platform: Platform, options: GateOptions) {
	const { limits, monotonicMs, uses, testCalls } = options;
	const clients = createClientCache(platform.secretBox);
	const wrongProofs = new RefusalLimit(limits.gateRefusals, monotonicMs);
	const needs = {
		...platform,
		clients,
		uses,
		testCalls,
		requireHttps: (call: Pick<Incoming, "scheme">) => requireHttps(call, HTTPS_REQUIRED),
		gates: createGateCache(),
		wrongProofs,
	};
	const refusalLimit = new RefusalLimit(limits.gateRefusals, monotonicMs);
	const keyLimit = new RefusalLimit(limits.gateKeys, monotonicMs);
	const shared = { needs, options, refusalLimit, keyLimit };
	const endpointOf = (own: Pick<Asking, "read" | "isJson" | "mayRedirect">): MountedEndpoint => ({
		kind: "gate",
		...(!own.isJson && { ignoresBody: true as const }),
		respond: (request) => respond({ ...shared, ...own }, request),
	});
	return {
		proxied: endpointOf({ read: proxiedCall, isJson: false, mayRedirect: true }),
		appended: endpointOf({ read: appendedCall, isJson: false, mayRedirect: false }),
		reported: endpointOf({ read: reportedCall, isJson: true, mayRedirect: false }),
		...browserEndpoints(platform, { limits, refusalLimit, keyLimit }),
	};
}

/** Refusals are errors with headers that describe them. */
async function respond(asking: Asking, request: Incoming): Promise<MountResponse> {
	const { options, isJson } = asking;
	const began = options.monotonicMs();
	const progress: CallProgress = { rule: null, caller: undefined, testClientId: undefined };
	const asked: Asked = { applicationId: undefined, gate: undefined, call: undefined };
	try {
		const { gate, call, applicationId } = await admit(asking, request, asked);
		const passed = await decideCall(asking.needs, applicationId, gate, call, progress);
		const statement = gate.statement === 1 ? await sign(asking, applicationId, call, passed) : undefined;
		observe(asking, asked, progress, "ok", began);
		noteUse(asking, gate.tenantId, applicationId, passed);
		if (asking.needs.gateSample?.isDue(applicationId, began))
			sample(asking, applicationId, began, call, passed);
		if (progress.testClientId !== undefined) options.testCalls.record(progress.testClientId, true);
		const headers = {
			...passedHeaders(gate, call, passed, statement),
			...crossOriginHeaders(gate, call),
			...(passed.preflight !== undefined && preflightHeaders(passed.preflight, call)),
		};
		if (passed.preflight !== undefined && asking.mayRedirect && hasFlag(request, "preflight"))
			return { status: 403, headers: { ...headers, "latchkey-status": "204" }, body: "" };
		const body = isJson ? passedBody(passed, progress.rule) : "";
		return { status: 200, headers: isJson ? { ...headers, "content-type": JSON_TYPE } : headers, body };
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const refusal = await countRefusal(asking, asked, request, error);
		observe(asking, asked, progress, refusal.code, began);
		record(asking, asked, progress, refusal);
		if (progress.testClientId !== undefined) options.testCalls.record(progress.testClientId, false);
		const signIn = signInFor(asked, refusal.code);
		const refused = refusalOf(refusal, progress, {
			signIn,
			metadataUrl: metadataUrlOf(asking, asked),
			crossOrigin: crossOriginHeaders(asked.gate, asked.call),
		});
		if (signIn === undefined || !asking.mayRedirect || !hasFlag(request, "redirect")) throw refused;
		const headers = { ...refused.headers, ...gateRefusals.headersOf(302, refusal.code, request.requestId) };
		return { status: 302, headers, body: "" };
	}
}

/** The sign-in URL for a browser that may not see a page of an application with another host. */
function signInFor({ gate, call }: Asked, code: ErrorCode): string | undefined {
	if (gate?.browserOrigin == null || call === undefined) return undefined;
	const acceptsHtml = call.headerValues("accept").some((accept) => accept.includes("text/html"));
	const isPage = call.method === "GET" && acceptsHtml && call.headerValues("upgrade").length === 0;
	if (!isPage || !SIGN_IN_AFTER.includes(code)) return undefined;
	return signInAt(gate.browserOrigin, call.target, code === "mfa.required");
}

/** The refusals after which a browser can sign in. A partner that signs requests has no browser. */
const SIGN_IN_AFTER: readonly ErrorCode[] = [
	"token.missing",
	"token.invalid",
	"session.ended",
	"mfa.required",
];

/**
 * `redirect`: the proxy returns the response of the gate to the browser, which may then be a redirect. `preflight`: the proxy
 * responds to preflights that pass. nginx can do so only after a refusal, so the gate responds with 403 and `Latchkey-Status: 204`.
 */
function hasFlag({ queryText }: Incoming, name: "redirect" | "preflight"): boolean {
	return queryText !== "" && new URLSearchParams(queryText).get(name) === "1";
}

const JSON_TYPE = "application/json; charset=utf-8";

/** What a request to the gate has established. */
interface Asked {
	applicationId: string | undefined;
	gate: AskedGate | undefined;
	call: AskedCall | undefined;
}

/** @throws AppError `gate.key`, `gate.request`, `request.too_many`. */
async function admit(
	{ needs, options, keyLimit, read }: Asking,
	request: Incoming,
	asked: Asked,
): Promise<{ readonly gate: AskedGate; readonly call: AskedCall; readonly applicationId: string }> {
	// Below `/at`, the query is part of the target.
	if (!isTargetInPath(request)) refuseKeyInQuery(request);
	const { applicationId, gate } = await admitProxy(needs, keyLimit, request);
	asked.applicationId = applicationId;
	asked.gate = gate;
	await countForGate(options.limits.gates, applicationId);
	const call = read(request);
	asked.call = call;
	return { gate, call, applicationId };
}

function isTargetInPath({ path }: Incoming): boolean {
	return path.split("/")[3] === "at";
}

const SUBJECT_OF = { person: "user", partner: "api_client", program: "program" } as const;

/** The stored grants of a test client do not decide, and a supporter uses nothing of the person. */
function noteUse(
	{ needs: { signIns, clock } }: Asking,
	tenantId: string,
	appId: string,
	{ caller, isTest }: PassedCall,
): void {
	if (caller === undefined || isTest || caller.supporter !== undefined) return;
	signIns.noteUse({
		tenantId,
		appId,
		subject: { kind: SUBJECT_OF[caller.kind], id: caller.id },
		atMs: clock(),
	});
}

/** A preflight passes by the rule of the method that it announces. */
function sample(
	{ needs }: Asking,
	applicationId: string,
	nowMs: number,
	{ method, target }: AskedCall,
	{ caller, permissions, isTest, hasSecondFactor = false, preflight }: PassedCall,
): void {
	if (preflight !== undefined) return;
	const request = { method, path: pathOf(target), kind: caller?.kind, isTest, hasSecondFactor, permissions };
	needs.gateSample?.keep(applicationId, nowMs, request);
}

function metadataUrlOf({ needs }: Asking, { applicationId, gate }: Asked): string | undefined {
	if (applicationId === undefined || gate === undefined || gate.resource === null) return undefined;
	return `${needs.publicUrl}/.well-known/oauth-protected-resource/gate/${applicationId}`;
}

function sign(
	{ needs }: Asking,
	applicationId: string,
	{ method, target }: AskedCall,
	{ caller, permissions, isTest, bodySha256 }: PassedCall,
): Promise<string> {
	const subject = callerText(caller);
	const { chain, supporter } = caller ?? {};
	const asked = { applicationId, subject, method, target, permissions, isTest, chain, supporter };
	return needs.signGateStatement({ ...asked, bodySha256: bodySha256 ?? null });
}

/** Counts a refusal for the sender of a wrong key, for the IP address of a caller without a proof, or for a wrong proof. */
async function countRefusal(
	{ needs: { wrongProofs }, refusalLimit, keyLimit }: Asking,
	{ applicationId, gate, call }: Asked,
	request: Incoming,
	error: AppError,
): Promise<AppError> {
	if (error.kind === "rate_limited" || error.kind === "unavailable") return error;
	if (applicationId === undefined || gate === undefined)
		return (await keyLimit.count(senderKey(request.ip))) ?? error;
	const { ip } = call ?? request;
	const credential = call && presentedCredential(call, gate);
	if (credential === undefined) return (await refusalLimit.count(visitorKey(applicationId, ip))) ?? error;
	if (!isWrongProof(error.code)) return error;
	return (await wrongProofs.count(credentialKey(applicationId, ip, credential))) ?? error;
}

function observe(
	{ needs, options: { meter, monotonicMs } }: Asking,
	{ applicationId, gate }: Asked,
	{ caller = "none" }: CallProgress,
	code: ErrorCode | "ok",
	began: number,
): void {
	const [kind = ""] = caller.split(":", 1);
	meter?.decide(applicationId ?? "-", kind, code, monotonicMs() - began);
	if (applicationId === undefined || gate === undefined) return;
	const subject = { tenantId: gate.tenantId, id: applicationId };
	if (code === "ok") needs.statistics.countFor(subject, "gate_decision");
	else needs.statistics.countFor(subject, "gate_decision_refused", code);
}

/** Above the limit, refusals are only counted. */
function record(
	{ needs }: Asking,
	{ applicationId, gate, call }: Asked,
	{ rule, caller = NO_CALLER, chain, supporter, testClientId }: CallProgress,
	{ code, kind, reason }: AppError,
): void {
	if (applicationId === undefined || gate === undefined || call === undefined || kind === "rate_limited")
		return;
	const { method, target, ip, requestId } = call;
	needs.refusals.record({
		subject: "gate",
		tenantId: gate.tenantId,
		applicationId,
		apiClientId: testClientId ?? partnerIn(caller),
		atMs: needs.clock(),
		code,
		reason: withActors(reason, chain, supporter),
		method,
		path: shownPath(target),
		rule,
		caller,
		ip,
		requestId,
	});
}

/** Names both programs, or the supporter, if they act for a person: the caller is the person. */
function withActors(
	reason: string | undefined,
	chain: CallProgress["chain"],
	supporter: string | undefined,
): string | null {
	const acting =
		chain === undefined
			? supporter && `${supporter} supports the person`
			: `${chain[0]} acts for the person, who signed in at ${chain[1]}`;
	return [reason, acting].filter((part) => part !== undefined).join("; ") || null;
}

function partnerIn(caller: string): string | null {
	const [kind, id = null] = caller.split(":");
	return kind === "partner" ? id : null;
}
