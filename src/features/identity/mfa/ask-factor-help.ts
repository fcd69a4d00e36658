// Notifies the administrators, and the owner of the account, that a user who entered the correct password can use no second factor.

import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import { userTarget } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import { isHelpOffered } from "../../../domain/sign-in.ts";
import { DAY_MS, isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { mailAdministrators } from "../steps/mail-administrators.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { findPending, invalidSecondFactor } from "./pending-sign-in.ts";

/** One mail a day for each user, however many sign-ins ask for it. */
const MAILS = { kind: "factor_help", count: 1, windowMs: DAY_MS } as const;

/**
 * Does the same work whether it sends a mail or not.
 *
 * @throws AppError `mfa.invalid`, `mfa.help_off`; `mail.too_many`, which depends only on the IP address.
 */
export async function askFactorHelp(
	needs: Needs<
		"pendingSignIns" | "users" | "tenants" | "allowances" | "mail" | "audit",
		"clock" | "publicUrl" | "mailsPerHour" | "wakeMail"
	>,
	mfaToken: string,
	origin: Origin,
): Promise<void> {
	const { db, clock, publicUrl, wakeMail } = needs;
	const { pending, user } = await findPending(needs, mfaToken, false);
	if (user.status !== "active") throw invalidSecondFactor();
	const { id, tenantId, username, email } = user;
	const { ip } = origin;
	const now = clock();
	await db.transaction(async (stores) => {
		const { tenants, allowances, audit } = stores;
		if (!isHelpOffered(await tenants.findById(tenantId), pending))
			throw new AppError("mfa.help_off", "this sign-in cannot notify the administrators");
		await takeMailAllowance(allowances, needs, ip);
		const isMailed = (await allowances.take(MAILS, id, now)) === undefined;
		const visitor = anonymousCaller(tenantId, origin);
		await audit.append(visitor, "user.second_factor_help_asked", userTarget(user), { mailed: isMailed });
		const shown = { username, email, at: isoTime(now), ip, userUrl: `${publicUrl}/console/people/${id}` };
		const message = { kind: "second_factor_help", ...shown } as const;
		await mailAdministrators(stores, tenantId, message, isMailed ? "put" : "putNothing");
		// Who stole the password can ask, too, and the owner can stop the reset.
		const notice = { kind: "second_factor_help_asked", username, at: shown.at, ip } as const;
		await mailOwner(stores, user, notice, origin, isMailed ? "put" : "putNothing");
	});
	wakeMail();
}
