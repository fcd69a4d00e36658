// Sign-in and sign-out of people with a browser at an application that has another host. The proxy forwards `/.latchkey/*` of
// that host to `/gate/{application_id}/browser/*`.

import { equalTexts, tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { AskedGate } from "../../../domain/gate.ts";
import {
	applicationPage,
	callbackAt,
	GATE_CODE_SECONDS,
	GATE_COOKIE,
	GATE_STATE_COOKIE,
	GATE_STATE_SECONDS,
	neededFactor,
} from "../../../domain/gate-browser.ts";
import { GATE_NONCE_OWNER } from "../../../domain/nonce.ts";
import { REFRESH_ABSOLUTE_SECONDS, type Session } from "../../../domain/session.ts";
import { supportSessionNotFound } from "../../../domain/support-session.ts";
import { DEFAULT_TENANT_SLUG } from "../../../domain/tenant.ts";
import { SESSION_COOKIE } from "../../../http/run/browser-session.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountedEndpoint, MountResponse } from "../../../http/run/mount.ts";
import { cookieValue } from "../../../http/run/read-browser-session.ts";
import { requireHttps } from "../../../http/run/transport.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { type GateCode, openCode, sealCode } from "./gate-code.ts";
import { countForGate, type GateLimiters, type RefusalLimit, senderKey, signInKey } from "./gate-limits.ts";
import { endGateSession, findGateSession, openGateSession } from "./gate-session.ts";
import { requireOrigin } from "./prove-session.ts";
import { type AdmittedProxy, admitProxy, askedGateId, refuseKeyInQuery } from "./proxy-guard.ts";

type Needed = Needs<
	"gates" | "sessions" | "supportSessions" | "nonces" | "tenants" | "audit",
	"clock" | "keys" | "gateCodes" | "publicUrl" | "findBrowserSession"
>;

export interface BrowserOptions {
	readonly limits: GateLimiters;
	readonly refusalLimit: RefusalLimit;
	readonly keyLimit: RefusalLimit;
}

/** A gate whose application has its own host. */
interface Host extends AdmittedProxy {
	readonly origin: string;
}

const COOKIE_ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
/** A digest, or the secret in a cookie. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function browserEndpoints(needs: Needed, options: BrowserOptions) {
	const endpointOf = (act: Act): MountedEndpoint => ({
		kind: "gateBrowser",
		respond: (request) => respond(needs, options, act, request),
	});
	const entry: MountedEndpoint = { kind: "gateEntry", respond: (request) => enter(needs, request) };
	return {
		begin: endpointOf(begin),
		finish: endpointOf(finish),
		signOut: endpointOf(signOut),
		enter: entry,
	};
}

type Act = (needs: Needed, host: Host, request: Incoming) => Promise<MountResponse> | MountResponse;

/** Refusals count by the IP address of the browser. A sign-in that succeeds is never limited by them. */
async function respond(
	needs: Needed,
	{ limits, refusalLimit, keyLimit }: BrowserOptions,
	act: Act,
	request: Incoming,
): Promise<MountResponse> {
	let applicationId: string | undefined;
	try {
		const admitted = await admitProxy(needs, keyLimit, request);
		applicationId = admitted.applicationId;
		await countForGate(limits.gates, applicationId);
		// After the key: a visitor's query must not count as a wrong key of the proxy.
		refuseKeyInQuery(request);
		return await act(needs, hostOf(admitted), request);
	} catch (error) {
		if (!(error instanceof AppError) || error.kind === "rate_limited" || error.kind === "unavailable")
			throw error;
		const exceeded =
			applicationId === undefined
				? await keyLimit.count(senderKey(request.ip))
				: await refusalLimit.count(signInKey(applicationId, request.ip));
		throw exceeded ?? error;
	}
}

/** @throws AppError `application.disabled`, `route.not_found` for a gate without a browser origin. */
function hostOf({ applicationId, gate }: AdmittedProxy): Host {
	const { browserOrigin: origin } = gate;
	if (gate.appStatus !== "active") throw new AppError("application.disabled", "the application is disabled");
	if (origin === null)
		throw new AppError("route.not_found", "the gate has no browser_origin, so people do not sign in there");
	return { applicationId, gate, origin };
}

/** Sends the browser to this service, and binds the sign-in to the browser. Tabs that sign in at once share the secret. */
function begin({ publicUrl }: Needed, { applicationId, origin }: Host, request: Incoming): MountResponse {
	requireHttps(request, "the session of a browser requires HTTPS");
	const asked = new URLSearchParams(request.queryText);
	const to = asked.get("to") ?? "/";
	pageFor(to, origin);
	const known = cookieValue(request, GATE_STATE_COOKIE);
	const secret = known !== undefined && TOKEN.test(known) ? known : randomToken();
	const support = asked.get("support");
	const query = new URLSearchParams({
		challenge: tokenDigest(secret),
		to,
		...neededFactor(asked),
		...(support !== null && { support }),
	});
	return goTo(`${publicUrl}/gate/${applicationId}/enter?${query}`, [
		cookie(GATE_STATE_COOKIE, secret, GATE_STATE_SECONDS),
	]);
}

/** @throws AppError `gate.request` */
function pageFor(to: string, origin: string): string {
	const page = applicationPage(to, origin);
	if (page === undefined) throw new AppError("gate.request", `to must be a path of ${origin}`);
	return page;
}

/**
 * At this service: the person signs in unless this browser has a session, adds a second factor that the page needs, and
 * returns to the application with a code.
 */
async function enter(needs: Needed, request: Incoming): Promise<MountResponse> {
	const query = new URLSearchParams(request.queryText);
	const host = await findHost(needs, request);
	const page = pageFor(query.get("to") ?? "/", host.origin);
	const challenge = query.get("challenge") ?? "";
	if (!TOKEN.test(challenge)) throw new AppError("gate.request", "challenge must be a SHA-256 in base64url");
	const refreshToken = cookieValue(request, SESSION_COOKIE);
	const session = refreshToken === undefined ? undefined : await needs.findBrowserSession(refreshToken);
	if (session === undefined) return goTo(await signInPage(needs, host.gate, request));
	request.userId = session.userId;
	request.tenantId = session.tenantId;
	if (session.tenantId !== host.gate.tenantId)
		throw new AppError("application.access_denied", "sign out first: this application is for other accounts");
	if (neededFactor(query) !== undefined && !session.amr.includes("mfa"))
		return goTo(await signInPage(needs, host.gate, request, { second_factor: host.applicationId }));
	const support = query.get("support");
	const sessionId = support === null ? session.id : await findOwnSupport(needs, host, session, support);
	const issuedAtSeconds = Math.floor(needs.clock() / SECOND_MS);
	const code = { id: newId(needs.clock()), sessionId, challenge, page, issuedAtSeconds };
	return goTo(callbackAt(host.origin, sealCode(needs.gateCodes, host.applicationId, host.origin, code)));
}

/**
 * The support session for this application that was created in this browser's session.
 *
 * @throws AppError `support_session.not_found`
 */
async function findOwnSupport(
	{ db }: Needed,
	{ applicationId }: Host,
	{ id: madeIn, tenantId }: Session,
	supportId: string,
): Promise<string> {
	const support = await db.stores.supportSessions.find(tenantId, supportId);
	if (support?.madeIn !== madeIn || support.appId !== applicationId) throw supportSessionNotFound();
	return support.id;
}

/** @throws AppError `route.not_found` for a missing, disabled, or other gate alike: anyone may ask. */
async function findHost({ db }: Needed, request: Incoming): Promise<Host> {
	const applicationId = askedGateId(request);
	const gate = applicationId === undefined ? undefined : await db.stores.gates.findAsked(applicationId);
	const origin = gate?.browserOrigin ?? null;
	if (gate?.appStatus !== "active" || applicationId === undefined || origin === null)
		throw new AppError("route.not_found", "no such resource");
	return { applicationId, gate, origin };
}

async function signInPage(
	{ db, publicUrl }: Needed,
	{ tenantId }: AskedGate,
	request: Incoming,
	parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
	const tenant = await db.stores.tenants.findById(tenantId);
	const isNamed = tenant !== undefined && tenant.slug !== DEFAULT_TENANT_SLUG;
	const query = new URLSearchParams({
		...(isNamed && { tenant: tenant.slug }),
		...parameters,
		return_to: `${request.path}${request.queryText}`,
	});
	return `${publicUrl}/sign-in?${query}`;
}

/** Back at the application. Another browser does not use the code up. @throws AppError `gate.sign_in` */
async function finish(needs: Needed, host: Host, request: Incoming): Promise<MountResponse> {
	requireHttps(request, "the session of a browser requires HTTPS");
	const { applicationId, origin, gate } = host;
	const text = new URLSearchParams(request.queryText).get("code") ?? "";
	const code = openCode(needs.gateCodes, applicationId, origin, text);
	const secret = cookieValue(request, GATE_STATE_COOKIE);
	// Without a cookie, not even the digest of nothing may match: anyone can choose the challenge of a code.
	if (code === undefined || secret === undefined || !isCurrent(code, secret, needs.clock()))
		throw invalidCode();
	if (!(await needs.db.stores.nonces.claim(GATE_NONCE_OWNER, code.id, code.issuedAtSeconds)))
		throw invalidCode();
	const value = await openGateSession(needs, applicationId, gate.tenantId, code.sessionId, request);
	if (value === undefined) throw invalidCode();
	return goTo(code.page, [cookie(GATE_COOKIE, value, REFRESH_ABSOLUTE_SECONDS)]);
}

function isCurrent({ challenge, issuedAtSeconds }: GateCode, secret: string, nowMs: number): boolean {
	const ageSeconds = nowMs / SECOND_MS - issuedAtSeconds;
	return ageSeconds <= GATE_CODE_SECONDS && equalTexts(tokenDigest(secret), challenge);
}

async function signOut(
	needs: Needed,
	{ applicationId, origin }: Host,
	request: Incoming,
): Promise<MountResponse> {
	requireOrigin(request, origin);
	const value = cookieValue(request, GATE_COOKIE);
	const found = value === undefined ? undefined : await findGateSession(needs, applicationId, value);
	if (found !== undefined) await endGateSession(needs, found, request);
	return goTo(`${needs.publicUrl}/signed-out`, [cookie(GATE_COOKIE, "", 0)]);
}

function goTo(location: string, cookies: readonly string[] = []): MountResponse {
	return {
		status: 303,
		headers: { location, ...(cookies.length > 0 && { "set-cookie": cookies }) },
		body: "",
	};
}

function cookie(name: string, value: string, seconds: number): string {
	return `${name}=${value}; ${COOKIE_ATTRIBUTES}; Max-Age=${seconds}`;
}

function invalidCode(): AppError {
	return new AppError(
		"gate.sign_in",
		"the sign-in is invalid, expired, or already used: open the application again",
	);
}
