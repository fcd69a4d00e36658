// Ends what an application got, and records when a used code or token came back.

import { named } from "../../../domain/audit.ts";
import { anonymousCaller } from "../../../domain/caller.ts";
import type { GrantReuse } from "../../../domain/openid-provider.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"oauthGrants" | "applications" | "users" | "audit">;

const ACTIONS = { code: "oauth.code_reused", refresh_token: "oauth.refresh_reused" } as const;

/** Of simultaneous calls one ends the grant and records it. @param reuse undefined: the application gave it back. */
export async function endGrant(
	{ db }: Needed,
	grantId: string,
	reuse: GrantReuse | undefined,
	origin: Origin,
): Promise<void> {
	await db.transaction(async ({ oauthGrants, applications, users, audit }) => {
		const grant = await oauthGrants.end(grantId);
		if (grant === undefined || reuse === undefined) return;
		const { tenantId, userId, clientId, sessionId } = grant;
		const user = await users.findById(tenantId, userId);
		const application = await applications.findById(tenantId, clientId);
		const target = named("user", userId, user?.username ?? "");
		const details = { app_id: clientId, app_name: application?.name ?? "", session_id: sessionId };
		await audit.append(anonymousCaller(tenantId, origin), ACTIONS[reuse], target, details);
	});
}
