// Mails the old address of an account that the account has a new one.

import type { AuditCaller } from "../../../domain/audit.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { mailOwner } from "../steps/mail-owner.ts";

interface EmailChange {
	/** As before the change. */
	readonly user: User;
	readonly nowMs: number;
	/** The link that restores the old address. */
	readonly restore?: { readonly url: string; readonly endsAtMs: number } | undefined;
}

/** The mail does not name the new address: the old mailbox may belong to another person by now. */
export function mailEmailChanged(
	stores: Stores<"mail">,
	{ user, nowMs, restore }: EmailChange,
	{ origin }: AuditCaller,
): Promise<void> {
	const message = {
		kind: "email_changed",
		username: user.username,
		at: isoTime(nowMs),
		restoreUrl: restore?.url ?? "",
		restoreEndsAt: restore === undefined ? "" : isoTime(restore.endsAtMs),
	} as const;
	return mailOwner(stores, user, message, origin);
}
