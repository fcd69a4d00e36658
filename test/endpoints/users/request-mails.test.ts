// When reviewers are mailed about requests; what the mails contain is tested in ../../request-digests.test.ts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addPerson, signInToApplication } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const PATH = "/api/v1/users/me/request-mails";
const headers = { accept: "application/problem+json" };
const service = testService();
const reviewer = fixture(() => addPerson(service, "ada", { roles: ["reviewer"] }));
const person = fixture(() => addPerson(service, "eve"));

async function refusedToApplications(method: string, body?: { readonly frequency: string }): Promise<void> {
	const token = await signInToApplication(service, person);
	const refused = await service.call(method, PATH, { token, headers, ...(body && { body }) });
	assert.deepEqual([refused.status, refused.body.code], [403, "application.token"]);
}

describe("GET /api/v1/users/me/request-mails", () => {
	describe("200", () => {
		it("is at once initially, and says whether the user is a reviewer", async () => {
			const data = async (token: string) => (await service.call("GET", PATH, { token })).body.data;
			assert.deepEqual(await data(reviewer.token), { frequency: "at_once", is_reviewer: true });
			assert.deepEqual(await data(person.token), { frequency: "at_once", is_reviewer: false });
		});
	});

	it("403 for the token of an application", () => refusedToApplications("GET"));
});

describe("PUT /api/v1/users/me/request-mails", () => {
	describe("200", () => {
		it("keeps the choice of this user alone", async () => {
			const body = { frequency: "daily" };
			const chosen = await service.call("PUT", PATH, { token: person.token, body });
			assert.deepEqual([chosen.status, chosen.body.data], [200, { frequency: "daily", is_reviewer: false }]);
			const { frequency } = (await service.call("GET", PATH, { token: reviewer.token })).body.data;
			assert.equal(frequency, "at_once");
		});
	});

	it("400 for another frequency", async () => {
		const { token } = person;
		const refused = await service.call("PUT", PATH, { token, headers, body: { frequency: "weekly" } });
		assert.deepEqual([refused.status, refused.body.code], [400, "request.invalid"]);
	});

	it("403 for the token of an application", () => refusedToApplications("PUT", { frequency: "hourly" }));
});
