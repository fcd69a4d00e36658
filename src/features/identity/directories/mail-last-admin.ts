// Tells the administrators that a directory tried to remove the last of them.

import { isActiveAdmin } from "../../../domain/system-role.ts";
import { HOUR_MS, isoTime } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import type { DirectoryCaller } from "./directory-caller.ts";

/** At most once an hour for a directory: it repeats what is refused. */
export async function mailLastAdmin(
	{ db, clock, wakeMail }: Needs<"users" | "refusalNotes" | "mail", "clock" | "wakeMail">,
	{ tenantId, directory: { issuerId, displayName }, origin }: DirectoryCaller,
): Promise<void> {
	const nowMs = clock();
	const note = { tenantId, subject: `directory:${issuerId}`, ip: "" };
	await db.transaction(async ({ users, refusalNotes, mail }) => {
		if (!(await refusalNotes.note(note, nowMs + HOUR_MS, nowMs))) return;
		const message = { kind: "directory_last_admin", directory: displayName, at: isoTime(nowMs) } as const;
		for (const user of await users.listReviewers(tenantId))
			if (isActiveAdmin(user)) await mailOwner({ mail }, user, message, origin);
	});
	wakeMail();
}
