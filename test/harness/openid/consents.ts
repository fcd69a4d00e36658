// Stores consents of users to applications without a sign-in.

import { newId } from "../../../src/kernel/id.ts";
import type { Person } from "../people/people.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";
import { putOAuthClient } from "./oauth-clients.ts";

/** Gives the application an OAuth client and stores the consent of `person` to `openid profile`. */
export async function addConsent(service: TestService, person: Person, clientId: string): Promise<void> {
	await putOAuthClient(service, {}, clientId);
	await using beside = await openBeside(service);
	const [{ tenant_id: tenantId } = { tenant_id: "" }] = await beside.engine.queries.all<{
		tenant_id: string;
	}>("SELECT tenant_id FROM users WHERE id = $1", person.id);
	const now = service.clock.now();
	const consent = {
		id: newId(now),
		tenantId,
		userId: person.id,
		clientId,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await beside.db.transaction(({ oauthConsents }) =>
		oauthConsents.add({ ...consent, scopes: ["openid", "profile"], resources: [], apiScopes: {} }),
	);
}
