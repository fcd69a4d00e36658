// Completes a sign-in after its first factor, of any kind: opens a session or requires a second factor.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { type AuditDetails, type AuditLog, userTarget } from "../../../domain/audit.ts";
import { anonymousCaller, userCaller } from "../../../domain/caller.ts";
import { findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import { type EnrolledFactors, hasFactor } from "../../../domain/second-factor.ts";
import {
	isHelpOffered,
	MFA_TOKEN_SECONDS,
	type SecondFactorDue,
	type SecondFactorMethod,
	type SignInOutcome,
} from "../../../domain/sign-in.ts";
import type { EventCounter } from "../../../domain/statistics.ts";
import type { StoreName, Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs, Platform } from "../../platform.ts";
import { findEntryRefusal, lacksRequiredFactor } from "./may-enter.ts";
import { issueTokens, notifyNewDevice, type OpenedSession, openSession } from "./open-session.ts";

/** The stores that a sign-in writes to, including those of every first and second factor. */
type SignInStore =
	| "accessFacts"
	| "audit"
	| "domains"
	| "emailCodes"
	| "knownDevices"
	| "loginFailures"
	| "mail"
	| "passkeys"
	| "pendingSignIns"
	| "recoveryCodes"
	| "recoveryLinks"
	| "secondFactors"
	| "sessions"
	| "tenants"
	| "thirdPartySignIns"
	| "totp"
	| "users";
export type SignInStores = Stores<SignInStore>;
/** What a sign-in needs, and further stores and parts of the platform. */
export type SignInNeeds<
	Name extends StoreName = never,
	Part extends Exclude<keyof Platform, "db"> = never,
> = Needs<
	SignInStore | Name,
	"clock" | "accessTokens" | "keys" | "wakeMail" | "signIns" | "statistics" | Part
>;

/** A verified factor: a password, a third-party account, or all required factors if `amr` includes `mfa`. */
export interface FirstFactor {
	/** As read when the factor was verified. */
	readonly user: User;
	/** The application to sign in to. Access to it is not checked yet. */
	readonly appId: string | null;
	/** Authentication methods, RFC 8176. With `mfa`, no second factor is required. */
	readonly amr: readonly string[];
	/** The slug of the identity provider that authenticated the user; absent for every other way. */
	readonly provider?: string | null;
	/**
	 * Inside the transaction of the sign-in, before any other write: consumes the factor.
	 *
	 * @returns whether the factor is still valid. False does not roll back its own writes.
	 */
	confirm(stores: SignInStores): Promise<boolean>;
	/** Inside the transaction that records a refusal (account disabled, no access): consumes the factor. */
	refused?(stores: SignInStores): Promise<unknown>;
}

/**
 * Checks the account and access to the application, which only a correct factor reveals. Then opens a session or
 * requires a second factor.
 *
 * @returns undefined if `confirm` returned false, or if the account was disabled or deleted in the meantime.
 * @throws AppError `account.disabled`, `application.access_denied` (also for an unknown application), `sign_in.enforced`.
 */
export async function completeSignIn(
	{ db, clock, accessTokens, keys, wakeMail, signIns }: SignInNeeds,
	factor: FirstFactor,
	origin: Origin,
): Promise<SignInOutcome | undefined> {
	const { user, appId } = factor;
	const refusal =
		(await findEntryRefusal(db.stores, user, appId)) ??
		(await findEnforcedRefusal(db.stores, user, factor.provider ?? null));
	if (refusal !== undefined) {
		await db.transaction(async (stores) => {
			await factor.refused?.(stores);
			const details = { reason: refusal.code, app_id: appId };
			await recordFailedSignIn(stores.audit, user.tenantId, user, details, origin);
		});
		throw refusal;
	}
	const nowMs = clock();
	const reached = await db.transaction((stores) => enter(stores, keys, factor, origin, nowMs));
	if (reached === undefined || "secondFactor" in reached) return reached;
	if (reached.isNewDevice) wakeMail();
	if (appId !== null)
		signIns.note({ tenantId: user.tenantId, appId, subject: { kind: "user", id: user.id }, atMs: nowMs });
	return { tokens: await issueTokens(accessTokens, reached, { ...user, lastLoginAtMs: nowMs }, nowMs) };
}

/** Undefined if the factor or the account has changed in the meantime. */
async function enter(
	stores: SignInStores,
	keys: SignInNeeds["keys"],
	factor: FirstFactor,
	origin: Origin,
	nowMs: number,
): Promise<
	(OpenedSession & { readonly isNewDevice: boolean }) | { readonly secondFactor: SecondFactorDue } | undefined
> {
	const { user, appId, amr, provider = null } = factor;
	const { id, tenantId } = user;
	if (!(await factor.confirm(stores))) return undefined;
	if (!amr.includes("mfa")) {
		const enrolled = await stores.secondFactors.findEnrolled(tenantId, id);
		if (hasFactor(enrolled) || (await lacksRequiredFactor(stores, { tenantId, appId, amr })))
			return { secondFactor: await requireSecondFactor(stores, factor, enrolled, origin, nowMs) };
	}
	if (!(await stores.users.noteSignIn(tenantId, id, nowMs))) return undefined;
	const opened = await openSession(
		{ sessions: stores.sessions, keys },
		{ user, appId, amr, provider, authenticatedAtMs: nowMs },
		origin,
		nowMs,
	);
	const isNewDevice = await notifyNewDevice(stores, keys, user, origin, nowMs);
	const newDevice = isNewDevice && { new_device: true };
	const details = { session_id: opened.session.id, app_id: appId, amr, ...newDevice };
	await stores.audit.append(userCaller(user, origin), "user.signed_in", userTarget(user), details);
	return { ...opened, isNewDevice };
}

/** Inside a transaction. For a user without a second factor, the token only permits enrolling one. */
export async function requireSecondFactor(
	{ pendingSignIns, tenants, audit }: Stores<"pendingSignIns" | "tenants" | "audit">,
	{ user, appId, amr, provider = null }: Pick<FirstFactor, "user" | "appId" | "amr" | "provider">,
	enrolled: EnrolledFactors,
	origin: Origin,
	nowMs: number,
): Promise<SecondFactorDue> {
	const { id, tenantId } = user;
	const mfaToken = randomToken();
	const methods = methodsOf(enrolled);
	const enrolmentRequired = methods.length === 0;
	const helpOffered = isHelpOffered(await tenants.findById(tenantId), { amr, enrolment: enrolmentRequired });
	await pendingSignIns.insert({
		tokenDigest: tokenDigest(mfaToken),
		tenantId,
		userId: id,
		appId,
		amr,
		provider,
		enrolment: enrolmentRequired,
		expiresAtMs: nowMs + MFA_TOKEN_SECONDS * SECOND_MS,
		createdAtMs: nowMs,
	});
	const details = { app_id: appId, amr, enrolment_required: enrolmentRequired };
	const visitor = anonymousCaller(tenantId, origin);
	await audit.append(visitor, "user.second_factor_asked", userTarget(user), details);
	return { mfaToken, expiresInSeconds: MFA_TOKEN_SECONDS, methods, enrolmentRequired, helpOffered };
}

function methodsOf(enrolled: EnrolledFactors): SecondFactorMethod[] {
	if (!hasFactor(enrolled)) return [];
	return [
		...(enrolled.totp ? ["totp" as const] : []),
		...(enrolled.passkeys > 0 ? ["passkey" as const] : []),
		...(enrolled.recoveryCodes > 0 ? ["recovery_code" as const] : []),
	];
}

/** @param user undefined for an unknown name. */
export function recordFailedSignIn(
	audit: AuditLog,
	tenantId: string,
	user: User | undefined,
	details: AuditDetails,
	origin: Origin,
): Promise<void> {
	const target = user === undefined ? "" : userTarget(user);
	return audit.append(anonymousCaller(tenantId, origin), "user.sign_in_failed", target, details);
}

/** Counts a sign-in of the tenant by what `signIn` returns or throws. */
export async function countSignIn<Outcome extends SignInOutcome>(
	statistics: EventCounter,
	tenantId: string,
	signIn: () => Promise<Outcome>,
): Promise<Outcome> {
	try {
		const outcome = await signIn();
		statistics.count(tenantId, "tokens" in outcome ? "sign_in" : "second_factor_asked");
		return outcome;
	} catch (error) {
		if (error instanceof AppError) statistics.count(tenantId, "sign_in_refused", error.reason ?? error.code);
		throw error;
	}
}
