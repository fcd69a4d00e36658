// Mails the owner of an address a link to set a new password; whether there is an owner, nobody else learns.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { EmailCodeStore } from "../auth/model.ts";
import {
	type MailAllowanceStore,
	type MailLimit,
	type MailOutbox,
	takeMailAllowance,
} from "../mail/model.ts";
import type { UserStore } from "../users/model.ts";
import { RESET_SECONDS, type RecoveryLinkStore } from "./model.ts";
import { resetMail } from "./reset-mail.ts";

interface ForgotStores {
	readonly users: UserStore;
	readonly emailCodes: EmailCodeStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly mail: MailOutbox;
	readonly mailAllowances: MailAllowanceStore;
	readonly audit: AuditLog;
}

export interface ForgotPasswordDeps extends MailLimit {
	readonly db: Persistence<ForgotStores>;
	readonly publicUrl: string;
	readonly wakeMail: () => void;
}

/**
 * The same statements for every address: without an active account the link opens nothing and the mail goes to nobody.
 * Past one a minute and five an hour for an address nothing is sent, and nothing says so: the last link stays good.
 *
 * @throws AppError `mail.too_many`, which depends on the caller's address alone.
 */
export async function forgotPassword(
	deps: ForgotPasswordDeps,
	{ tenantId, email }: { readonly tenantId: string; readonly email: string },
	origin: Origin,
): Promise<void> {
	const now = deps.clock();
	const token = randomToken();
	await deps.db.transaction(async (stores) => {
		await takeMailAllowance(stores.mailAllowances, deps, tenantId, origin.ip);
		const owner = await stores.users.findByLogin(tenantId, email);
		const user = owner?.status === "active" ? owner : undefined;
		const expiresAtMs = now + RESET_SECONDS * SECOND_MS;
		const counter = { tenantId, purpose: "password_reset", address: email } as const;
		const refused = await stores.emailCodes.put({ ...counter, codeDigest: "", expiresAtMs }, now);
		if (refused !== undefined) return;
		await stores.recoveryLinks.put({
			digest: tokenDigest(token),
			tenantId,
			userId: user?.id ?? null,
			purpose: "password_reset",
			email,
			createdAtMs: now,
			expiresAtMs,
		});
		const mail = resetMail(
			{ tenantId, email, username: user?.username ?? email },
			deps.publicUrl,
			token,
			origin,
		);
		await (user === undefined ? stores.mail.putNothing(mail) : stores.mail.put(mail));
		await stores.audit.append({
			tenantId,
			actor: "anonymous",
			action: "user.password_reset_requested",
			target: user === undefined ? "" : `user:${user.id}`,
			origin,
		});
	});
	deps.wakeMail();
}
