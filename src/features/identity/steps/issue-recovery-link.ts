// Issues the token of a mailed recovery link, and finds its owner.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { LINK_SECONDS, type NewRecoveryLink, type RecoveryLink } from "../../../domain/recovery-link.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";

/** Inside a transaction. Stores only the digest of the token. */
export async function issueRecoveryLink(
	{ recoveryLinks }: Stores<"recoveryLinks">,
	link: Pick<NewRecoveryLink, "tenantId" | "userId" | "purpose" | "email">,
	nowMs: number,
): Promise<{ readonly token: string; readonly expiresAtMs: number }> {
	const token = randomToken();
	const expiresAtMs = nowMs + LINK_SECONDS[link.purpose] * SECOND_MS;
	await recoveryLinks.put({ ...link, digest: tokenDigest(token), createdAtMs: nowMs, expiresAtMs });
	return { token, expiresAtMs };
}

/** The user of a link, if they meet the condition and still have the email address of the link. */
export async function findLinkOwner(
	{ users }: Stores<"users">,
	link: RecoveryLink | undefined,
	meets: (user: User) => boolean,
): Promise<User | undefined> {
	const user = link && (await users.findById(link.tenantId, link.userId));
	return user !== undefined && meets(user) && user.email === link?.email ? user : undefined;
}

/** For the mail. No browser sends the fragment to a server, and the host does not depend on the request. */
export function resetLink(publicUrl: string, token: string) {
	return { resetUrl: `${publicUrl}/reset#${token}`, expiresInMinutes: LINK_SECONDS.password_reset / 60 };
}
