import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccessEvent, AccessFacts, AccessHistoryStore } from "./model.ts";
import { loadPastFacts } from "./past-facts.ts";

const USER = "user:u";
const APP = "application:a";
const NOBODY = { user: undefined, application: undefined };
const TODAY: Pick<AccessFacts, "user" | "application"> = {
	user: { status: "active" },
	application: { status: "active", accessPolicy: "open" },
};

/** A trail of one entry a millisecond, from 1 on. */
function trail(
	...entries: readonly (readonly [target: string, action: string, details?: AccessEvent["details"]])[]
) {
	const events = entries.map(([target, action, details = {}], index) => ({
		atMs: index + 1,
		action,
		target,
		details,
	}));
	let reads = 0;
	const history: AccessHistoryStore = {
		async listAbout(_tenantId, targets) {
			reads += 1;
			return events.filter(({ target }) => targets.includes(target));
		},
		findCutAtMs: async () => undefined,
	};
	const at = (atMs: number, today = TODAY) =>
		loadPastFacts(history, "t", { userId: "u", appId: "a", today }, atMs);
	return { at, history, reads: () => reads };
}

const BEGINNING = [
	[USER, "user.created", { status: "active" }],
	[APP, "application.created", { status: "active", access_policy: "open" }],
] as const;

describe("loadPastFacts", () => {
	it("knows nothing before the beginning, and the states of each moment after", async () => {
		const { at } = trail(
			...BEGINNING,
			[USER, "user.updated", { fields: ["status"], status: "disabled" }],
			[USER, "user.updated", { fields: ["display_name"] }],
			[APP, "application.updated", { fields: ["access_policy"], access_policy: "assigned" }],
			[USER, "user.deleted"],
			[APP, "application.deleted"],
		);
		assert.deepEqual((await at(0)).facts, { ...NOBODY, grants: [] });
		assert.deepEqual((await at(2)).facts, { ...TODAY, grants: [] });
		assert.deepEqual((await at(4)).facts.user, { status: "disabled" });
		assert.deepEqual((await at(4)).facts.application?.accessPolicy, "open");
		assert.deepEqual((await at(5)).facts.application, { status: "active", accessPolicy: "assigned" });
		assert.equal((await at(6)).facts.user, undefined);
		assert.deepEqual((await at(7)).facts, { ...NOBODY, grants: [] });
		for (let ms = 0; ms < 8; ms++) assert.deepEqual((await at(ms)).gaps, []);
	});

	it("reads three times at most", async () => {
		const groups = Array.from({ length: 30 }, (_, index) => `g${index}`);
		const { at, reads } = trail(
			...BEGINNING,
			["application_role:r", "application_role.created", { name: "reader", permissions: ["a"] }],
			...groups.flatMap((id) => [
				[`group:${id}`, "group.created", { name: id }] as const,
				[`group:${id}`, "grant.created", { app_id: "a", grant_id: `by ${id}`, role_ids: ["r"] }] as const,
				[USER, "group_member.added", { group_id: id }] as const,
			]),
		);
		const { facts } = await at(1_000);
		assert.equal(facts.grants.length, 30);
		assert.deepEqual(facts.grants[0], {
			id: "by g0",
			group: { id: "g0", name: "g0" },
			roles: [{ id: "r", name: "reader", permissions: ["a"] }],
		});
		assert.equal(reads(), 3);
	});

	it("names what the trail does not tell", async () => {
		const { at } = trail([USER, "user.updated", { status: "disabled" }]);
		const gaps = ["how user:u began is not told", "how application:a began is not told"];
		assert.deepEqual((await at(0)).gaps, gaps);
		assert.deepEqual((await at(1)).facts.user, { status: "disabled" });
		assert.deepEqual((await at(1)).gaps, gaps.slice(1));
		assert.deepEqual((await at(0, NOBODY)).gaps, gaps.slice(0, 1));
		assert.deepEqual((await trail().at(0, NOBODY)).gaps, []);
	});

	it("says when the beginning of the trail is gone", async () => {
		const { history } = trail(...BEGINNING);
		const cut = { ...history, findCutAtMs: async () => Date.parse("2026-01-01T00:00:00Z") };
		const { gaps } = await loadPastFacts(cut, "t", { userId: "u", appId: "a", today: TODAY }, 2);
		assert.deepEqual(gaps, ["entries before 2026-01-01T00:00:00.000Z were removed from the trail"]);
	});
});
