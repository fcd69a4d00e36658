// A person of a directory cannot change in the account what the directory decides.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newId } from "../../src/kernel/id.ts";
import { mailedToken } from "../harness/access/access-requests.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { moveTo, requestEmailChange } from "../harness/people/recovery.ts";
import { mailedCode } from "../harness/people/registration.ts";
import { addDirectory } from "../harness/providers/directories.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const service = testService();
const directory = fixture(() => addDirectory(service));

/** The directory takes over a person who signed in by its issuer. @returns the id of the linked account */
async function adopt(person: Person): Promise<string> {
	const { tenant_id: tenantId } = (await service.call("GET", "/api/v1/users/me", { token: person.token }))
		.body.data;
	await using beside = await openBeside(service);
	const linkedAtMs = service.clock.now();
	const account = {
		tenantId,
		userId: person.id,
		provider: directory.provider,
		providerUserId: person.id,
		linkedAtMs,
	};
	const id = newId(linkedAtMs);
	await beside.db.transaction(({ thirdPartyAccounts }) => thirdPartyAccounts.insert({ id, ...account }));
	await directory.person(person.username, { externalId: person.id });
	return id;
}

const refused = async (method: string, path: string, body?: object, token?: string): Promise<void> => {
	const headers = { accept: "application/problem+json" };
	const response = await service.call<{ code: string }>(method, `/api/v1${path}`, { token, body, headers });
	assert.deepEqual([response.status, response.body.code], [409, "user.of_directory"], `${method} ${path}`);
};

describe("a person of a directory", () => {
	it("cannot change the profile, the address, or the account of the directory, nor delete the account", async () => {
		const person = await addPerson(service, "of.directory", { email_verified: true });
		await requestEmailChange(service, person, "new@of.directory.example");
		const code = await mailedCode(service, "new@of.directory.example");
		const { token, password } = person;
		const account = await adopt(person);
		await refused("PATCH", "/users/me", { display_name: "Other" }, token);
		await refused("DELETE", "/users/me", { password }, token);
		const change = { email: "other@of.directory.example", current_password: password };
		await refused("POST", "/users/me/email", change, token);
		await refused("POST", "/users/me/email/confirm", { email: "new@of.directory.example", code }, token);
		await refused("DELETE", `/users/me/third-party-accounts/${account}`, undefined, token);
		const { data } = (await service.call("GET", "/api/v1/users/me", { token })).body;
		assert.deepEqual([data.email, data.username], [person.email, person.username]);
	});

	it("cannot restore a former address", async () => {
		const person = await addPerson(service, "restores", { email_verified: true });
		await moveTo(service, person, "moved@of.directory.example");
		const link = await mailedToken(service, person.email, "restore-email");
		await adopt(person);
		await refused("POST", "/auth/email/restore", { token: link });
	});
});
