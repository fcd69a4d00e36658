// Adds a second factor to a session: verified, or enrolled where the tenant or an application requires it.

import { hasFactor } from "../../../domain/second-factor.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { SecondFactorDue } from "../../../domain/sign-in.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { requireSecondFactor } from "../steps/complete-sign-in.ts";
import { checkOwner, checkStillSignedIn, type OwnerStore, sessionEnded } from "../steps/confirm-owner.ts";
import { lacksRequiredFactor } from "../steps/may-enter.ts";

type Needed = Needs<
	OwnerStore | "secondFactors" | "pendingSignIns" | "tenants" | "gates",
	"passwords" | "attempts" | "clock"
>;

interface StepUp {
	readonly appId: string | null;
	/** The sign-in in progress at an application needs a second factor. */
	readonly isFactorRequested: boolean;
	readonly passwordPlain: string | undefined;
}

/**
 * The returned token opens a new session, whose `amr` includes the methods of the current one; the current session
 * continues. The first factor must be recent, because the new session counts as a new sign-in.
 *
 * @throws AppError `application.token`, `mfa.not_due`, `token.invalid`; what `checkOwner` throws.
 */
export async function beginStepUp(
	needs: Needed,
	{ appId, isFactorRequested, passwordPlain }: StepUp,
	caller: SignedIn,
): Promise<SecondFactorDue> {
	checkInPerson(caller, "begin a sign-in with a second factor");
	const { tenantId, userId, user, sessionId } = caller;
	const proof = {
		field: "password",
		refusedAs: "user.second_factor_change_refused",
		freshSignInSuffices: true,
	} as const;
	await checkOwner(needs, passwordPlain, proof, caller);
	return await needs.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, caller);
		const { amr, provider } = found(await stores.sessions.findById(sessionId), sessionEnded);
		const enrolled = await stores.secondFactors.findEnrolled(tenantId, userId);
		const isDue =
			hasFactor(enrolled) ||
			isFactorRequested ||
			(await hasRuleWithFactor(stores, tenantId, appId)) ||
			(await lacksRequiredFactor(stores, { tenantId, appId, amr }));
		if (amr.includes("mfa") || !isDue)
			throw new AppError("mfa.not_due", "this session already has a second factor, or needs none here");
		const firstFactor = { user, appId: null, amr, provider };
		return await requireSecondFactor(stores, firstFactor, enrolled, caller.origin, needs.clock());
	});
}

/** Whether a rule of the application's gate needs a second factor. */
async function hasRuleWithFactor(
	{ gates }: Stores<"gates">,
	tenantId: string,
	appId: string | null,
): Promise<boolean> {
	const gate = appId === null ? undefined : await gates.find(tenantId, appId);
	return gate?.rules.some(({ mfa }) => mfa === true) ?? false;
}
