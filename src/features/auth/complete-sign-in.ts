// From a proved first factor to a session: the one way, whichever factor it was.

import type { AccessTokens } from "../../crypto/access-token.ts";
import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import { type EnrolledFactors, hasFactor, type SecondFactorStore } from "../mfa/model.ts";
import type { UserStore } from "../users/model.ts";
import {
	type CompleteSignIn,
	type FirstFactor,
	MFA_TOKEN_SECONDS,
	type PendingSignInStore,
	type SecondFactorDue,
	type SecondFactorMethod,
	type SessionStore,
} from "./model.ts";
import { type DeviceDigests, type DeviceStores, noticeDevice } from "./notice-device.ts";
import { issueTokens, type OpenedSession, openSession } from "./open-session.ts";

export interface CompletionStores extends DeviceStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly accessFacts: AccessFactStore;
	readonly secondFactors: SecondFactorStore;
	readonly pendingSignIns: PendingSignInStore;
	readonly audit: AuditLog;
}

export interface CompletionDeps<S extends CompletionStores> {
	readonly db: Persistence<S>;
	readonly clock: Clock;
	readonly accessTokens: AccessTokens;
	readonly keys: DeviceDigests;
	readonly wakeMail: () => void;
}

/** What stands in the way of somebody who proved a factor. */
type Refusal = "account.disabled" | "application.access_denied";

/** The state of the account and access to the application are decided here, after the proof. */
export function createCompleteSignIn<S extends CompletionStores>(deps: CompletionDeps<S>): CompleteSignIn<S> {
	return async (factor, origin) => {
		const refusal = await findRefusal(deps, factor);
		if (refusal !== undefined) {
			await recordRefusal(deps, factor, refusal, origin);
			throw refusalError(refusal);
		}
		const now = deps.clock();
		const reached = await deps.db.transaction((stores) => reach(stores, deps.keys, factor, origin, now));
		if (reached === undefined || "secondFactor" in reached) return reached;
		if (reached.isNewDevice) deps.wakeMail();
		const user = { ...factor.user, lastLoginAtMs: now };
		return { tokens: await issueTokens(deps.accessTokens, reached, user, now) };
	};
}

async function findRefusal<S extends CompletionStores>(
	{ db }: CompletionDeps<S>,
	{ user, appId }: FirstFactor<S>,
): Promise<Refusal | undefined> {
	if (user.status !== "active") return "account.disabled";
	if (appId === null) return undefined;
	const facts = await db.stores.accessFacts.load(user.tenantId, user.id, appId);
	return decideAccess(facts).allowed ? undefined : "application.access_denied";
}

function recordRefusal<S extends CompletionStores>(
	{ db }: CompletionDeps<S>,
	factor: FirstFactor<S>,
	reason: Refusal,
	origin: Origin,
): Promise<void> {
	const { user, appId } = factor;
	return db.transaction(async (stores) => {
		await factor.refused?.(stores);
		await stores.audit.append({
			tenantId: user.tenantId,
			actor: "anonymous",
			action: "user.sign_in_failed",
			target: `user:${user.id}`,
			origin,
			details: { reason, app_id: appId },
		});
	});
}

function refusalError(refusal: Refusal): AppError {
	return refusal === "account.disabled"
		? new AppError(refusal, "this account is disabled")
		: new AppError(refusal, "you have no access to this application");
}

/** Undefined when what was proved, or the account, is no longer what it was. */
async function reach<S extends CompletionStores>(
	stores: S,
	keys: DeviceDigests,
	factor: FirstFactor<S>,
	origin: Origin,
	nowMs: number,
): Promise<
	(OpenedSession & { readonly isNewDevice: boolean }) | { readonly secondFactor: SecondFactorDue } | undefined
> {
	const { user, appId, amr } = factor;
	if (!(await factor.confirm(stores))) return undefined;
	if (!amr.includes("mfa")) {
		const enrolled = await stores.secondFactors.findEnrolled(user.tenantId, user.id);
		if (hasFactor(enrolled) || (await stores.secondFactors.isRequired(user.tenantId, appId)))
			return { secondFactor: await askSecondFactor(stores, factor, enrolled, origin, nowMs) };
	}
	if (!(await stores.users.noteSignIn(user.tenantId, user.id, nowMs))) return undefined;
	const opened = await openSession(stores.sessions, { user, appId, amr }, origin, nowMs);
	const isNewDevice = await noticeDevice(stores, keys, user, origin, nowMs);
	await stores.audit.append({
		tenantId: user.tenantId,
		actor: `user:${user.id}`,
		action: "user.signed_in",
		target: `user:${user.id}`,
		origin,
		details: { session_id: opened.session.id, app_id: appId, amr, ...(isNewDevice && { new_device: true }) },
	});
	return { ...opened, isNewDevice };
}

/** Whoever has no factor yet may enrol one with the token, and nothing else. */
async function askSecondFactor<S extends CompletionStores>(
	{ pendingSignIns, audit }: S,
	{ user, appId, amr }: FirstFactor<S>,
	enrolled: EnrolledFactors,
	origin: Origin,
	nowMs: number,
): Promise<SecondFactorDue> {
	const mfaToken = randomToken();
	const methods = methodsOf(enrolled);
	const enrolmentRequired = methods.length === 0;
	await pendingSignIns.insert({
		tokenDigest: tokenDigest(mfaToken),
		tenantId: user.tenantId,
		userId: user.id,
		appId,
		amr,
		enrolment: enrolmentRequired,
		expiresAtMs: nowMs + MFA_TOKEN_SECONDS * SECOND_MS,
		createdAtMs: nowMs,
	});
	await audit.append({
		tenantId: user.tenantId,
		actor: "anonymous",
		action: "user.second_factor_asked",
		target: `user:${user.id}`,
		origin,
		details: { app_id: appId, amr, enrolment_required: enrolmentRequired },
	});
	return { mfaToken, expiresInSeconds: MFA_TOKEN_SECONDS, methods, enrolmentRequired };
}

function methodsOf(enrolled: EnrolledFactors): SecondFactorMethod[] {
	if (!hasFactor(enrolled)) return [];
	return [
		...(enrolled.totp ? ["totp" as const] : []),
		...(enrolled.passkeys > 0 ? ["passkey" as const] : []),
		...(enrolled.recoveryCodes > 0 ? ["recovery_code" as const] : []),
	];
}
