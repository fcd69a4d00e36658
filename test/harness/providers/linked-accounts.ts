// Links accounts at identity providers without a sign-in.

import assert from "node:assert/strict";
import { newId } from "../../../src/kernel/id.ts";
import type { Person } from "../people/people.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

/** `provider` is a slug; the token of `person` must be valid. The user's id is also their subject at the provider. */
export async function addLinkedAccount(
	service: TestService,
	person: Person,
	provider: string,
): Promise<void> {
	const { token } = person;
	const { tenant_id: tenantId } = (await service.call("GET", "/api/v1/users/me", { token })).body.data;
	await using beside = await openBeside(service);
	const linkedAtMs = service.clock.now();
	const account = { tenantId, userId: person.id, provider, providerUserId: person.id, linkedAtMs };
	const isNew = await beside.db.transaction(({ thirdPartyAccounts }) =>
		thirdPartyAccounts.insert({ id: newId(linkedAtMs), ...account }),
	);
	assert.equal(isNew, true);
}
