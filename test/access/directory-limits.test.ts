// Directories (SCIM) under load and attack.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addDirectory, GROUP, USER } from "../harness/providers/directories.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const PEOPLE = atDepth({ quick: 300, all: 1_000, long: 10_000 });
const service = testService({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "0" } });
const directory = fixture(() => addDirectory(service));

describe("hostile requests of a directory", () => {
	it("reach no prototype, and are refused by depth, size, and form", async () => {
		const { id } = await directory.person("target@corp.example");
		const raw = (body: string) => directory.scim("PATCH", `Users/${id}`, body);
		const patch = (operation: string) =>
			raw(`{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[${operation}]}`);
		for (const operation of [
			'{"op":"add","path":"__proto__.polluted","value":1}',
			'{"op":"add","path":"constructor.prototype.polluted","value":1}',
			'{"op":"add","path":"emails[type eq \\"work\\"].__proto__","value":{"polluted":1}}',
			`{"op":"add","path":"title","value":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
			`{"op":"add","path":"title","value":"${"x".repeat(9_000)}"}`,
			'{"op":"add","path":"title","value":"\\u0000"}',
			'{"op":"add","path":"title","value":"\\ud800"}',
		])
			assert.equal((await patch(operation)).status, 400, operation.slice(0, 60));
		const hidden = '{"op":"add","value":{"name":{"__proto__":{"polluted":1}}}}';
		assert.equal((await patch(hidden)).status, 200);
		assert.equal(({} as { polluted?: number }).polluted, undefined);
		assert.equal((await raw("{")).body.scimType, "invalidSyntax");
		assert.equal((await raw(`"${"x".repeat(1_048_576)}"`)).status, 413);
		for (const filter of [
			"(".repeat(900),
			'title eq "x"',
			"userName eq 1",
			"active co true",
			Array(30).fill("id pr").join(" or "),
		]) {
			const refused = await directory.scim("GET", `Users?filter=${encodeURIComponent(filter)}`);
			assert.deepEqual([refused.status, refused.body.scimType], [400, "invalidFilter"], filter.slice(0, 40));
		}
		for (const [method, path, status] of [
			["GET", "Nothing", 404],
			["POST", "Bulk", 404],
			["DELETE", "Users", 405],
			["GET", "Users?count=x", 400],
		] as const) {
			const refused = await directory.scim(method, path);
			assert.deepEqual([refused.status, refused.body.status], [status, String(status)]);
			assert.match(refused.headers["content-type"] ?? "", /^application\/scim\+json/);
		}
		assert.equal((await directory.scim("GET", "ServiceProviderConfig")).body.schemas.length, 1);
		assert.equal((await directory.scim("GET", "Schemas")).body.totalResults, 3);
		assert.equal((await directory.scim("GET", "ResourceTypes")).body.totalResults, 2);
	});

	it("with objects in place of texts are refused", async () => {
		const { id } = await directory.person("confused@corp.example");
		const confusing = { toString: 1, valueOf: 1 };
		const emails = (more: object) => ({
			op: "add",
			path: "emails",
			value: [{ value: "c@corp.example", ...more }],
		});
		for (const [operation, scimType] of [
			[{ op: confusing, path: "title", value: 1 }, "invalidSyntax"],
			[{ op: "replace", path: "active", value: confusing }, "invalidValue"],
			[emails({ primary: confusing }), "invalidValue"],
		] as const) {
			const { status, body } = await directory.patch(`Users/${id}`, operation);
			assert.deepEqual([status, body.scimType], [400, scimType], JSON.stringify(operation));
		}
		assert.equal((await directory.patch(`Users/${id}`, emails({ type: confusing }))).status, 200);
		const schemas = [confusing];
		assert.equal((await directory.scim("PATCH", `Users/${id}`, { schemas, Operations: [] })).status, 400);
	});

	it("with thousands of attributes or values are refused at once", { timeout: 30_000 }, async () => {
		const { id } = await directory.person("large@corp.example");
		const attributes = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`name${at}`, 1]));
		const values = Array.from({ length: 30_000 }, (_, at) => ({ value: String(at) }));
		const removing = { op: "remove", path: `emails[${Array(20).fill('type eq "x"').join(" or ")}]` };
		for (const operations of [
			[{ op: "add", value: attributes }],
			[{ op: "add", path: "emails", value: values }, ...Array<object>(99).fill(removing)],
		])
			assert.equal((await directory.patch(`Users/${id}`, ...operations)).status, 400);
	});

	it("are recorded without passwords, and never keep others from being recorded", async () => {
		const own = await addDirectory(service);
		const { id } = await own.person("recorded@corp.example");
		assert.equal((await own.scim("GET", "Users?filter=%00%20eq%201")).status, 400);
		const changed = await own.patch(
			`Users/${id}`,
			{ op: "replace", path: "password", value: "never kept 1" },
			{ op: "replace", path: `${USER}:password`, value: "never kept 2" },
			{ op: "add", value: { [`${USER}:password`]: "never kept 3", displayName: "Kept" } },
		);
		assert.deepEqual([changed.status, changed.body.displayName], [200, "Kept"]);
		const path = `/api/v1/identity-providers/${own.issuerId}/directory/events`;
		for (let tries = 1; ; tries++) {
			const { data } = (await service.callAsAdmin<{ data: { detail: string }[] }>("GET", path)).body;
			assert.doesNotMatch(JSON.stringify(data), /never kept/);
			if (data.length === 3) break;
			assert.ok(tries < 100, `${data.length} of 3 requests are recorded`);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	});

	it(`takes ${PEOPLE} people, who are members of one group, in flat memory`, async () => {
		const own = await addDirectory(service);
		const ids: string[] = [];
		let started = 0;
		for (let number = 0; number < PEOPLE; number++) {
			ids.push((await own.person(`person-${number}@corp.example`)).id);
			if (number === Math.floor(PEOPLE / 3)) started = heapAfterCollection();
		}
		const grown = heapAfterCollection() - started;
		assert.ok(grown < 40 * 1024 ** 2, `the heap grew by ${grown} bytes`);
		const group = await own.group("Everyone", ids);
		assert.equal(group.members?.length, PEOPLE);
		const page = await own.scim("GET", `Users?startIndex=${PEOPLE - 9}&count=100`);
		assert.deepEqual([page.body.totalResults, page.body.itemsPerPage], [PEOPLE, 10]);
		const emptied = await own.patch(`Groups/${group.id}`, { op: "remove", path: "members" });
		assert.deepEqual(emptied.body.members, []);
		const many = Array.from({ length: 10_001 }, (_, number) => ({ value: String(number) }));
		const refused = await own.scim("PUT", `Groups/${group.id}`, {
			schemas: [GROUP],
			displayName: "Everyone",
			members: many,
		});
		assert.equal(refused.status, 400);
	});
});

function heapAfterCollection(): number {
	(globalThis as { gc?: () => void }).gc?.();
	return process.memoryUsage().heapUsed;
}
