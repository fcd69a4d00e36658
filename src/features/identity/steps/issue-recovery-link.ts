// Issues the token of a mailed recovery link.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { LINK_SECONDS, type NewRecoveryLink } from "../../../domain/recovery-link.ts";
import type { Stores } from "../../../domain/stores.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";

/** Inside a transaction. @returns the token, of which only the digest is stored. */
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

/** For the mail. The fragment is not sent to any server; the host does not depend on the request. */
export function resetLink(publicUrl: string, token: string) {
	return { resetUrl: `${publicUrl}/reset#${token}`, expiresInMinutes: LINK_SECONDS.password_reset / 60 };
}
