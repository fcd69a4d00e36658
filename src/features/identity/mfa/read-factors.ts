// The second factors of a user, and whether one is required.

import { hasFactor } from "../../../domain/second-factor.ts";
import { NO_PASSWORD } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";

export async function readFactors(
	{ db }: Needs<"secondFactors" | "users">,
	tenantId: string,
	userId: string,
) {
	const { secondFactors, users } = db.stores;
	const [enrolled, stored, required] = await Promise.all([
		secondFactors.findEnrolled(tenantId, userId),
		users.findWithPassword(tenantId, userId),
		secondFactors.isRequired(tenantId, null),
	]);
	return {
		hasPassword: stored !== undefined && stored.passwordHash !== NO_PASSWORD,
		mfaEnabled: hasFactor(enrolled),
		totp: enrolled.totp,
		passkeys: enrolled.passkeys,
		recoveryCodesLeft: enrolled.recoveryCodes,
		required,
	};
}
