import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccessFacts } from "../../../domain/access.ts";
import type { AccessAction, AccessEvent, AccessHistoryStore } from "../../../domain/access-history.ts";
import { loadPastFacts } from "./past-facts.ts";

const USER = "user:u";
const APP = "application:a";
const ABSENT = { user: undefined, application: undefined };
const TODAY: Pick<AccessFacts, "user" | "application"> = {
	user: { status: "active" },
	application: { status: "active", accessPolicy: "open" },
};

/** A trail with one event per millisecond, from 1. */
function trail(
	...entries: readonly (readonly [target: string, action: AccessAction, details?: AccessEvent["details"]])[]
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
	it("finds nothing before the first event, and the state at each later moment", async () => {
		const { at } = trail(
			...BEGINNING,
			[USER, "user.updated", { fields: ["status"], status: "disabled" }],
			[USER, "user.updated", { fields: ["display_name"] }],
			[APP, "application.updated", { fields: ["access_policy"], access_policy: "assigned" }],
			[USER, "user.deleted"],
			[APP, "application.deleted"],
		);
		assert.deepEqual((await at(0)).facts, { ...ABSENT, grants: [] });
		assert.deepEqual((await at(2)).facts, { ...TODAY, grants: [] });
		assert.deepEqual((await at(4)).facts.user, { status: "disabled" });
		assert.deepEqual((await at(4)).facts.application?.accessPolicy, "open");
		assert.deepEqual((await at(5)).facts.application, { status: "active", accessPolicy: "assigned" });
		assert.equal((await at(6)).facts.user, undefined);
		assert.deepEqual((await at(7)).facts, { ...ABSENT, grants: [] });
		for (let ms = 0; ms < 8; ms++) assert.deepEqual((await at(ms)).gaps, []);
	});

	it("finds an invited user, who becomes active by accepting", async () => {
		const { at } = trail(
			[USER, "user.created", { status: "invited" }],
			[USER, "user.invite_accepted", { status: "active", fields: ["display_name"] }],
		);
		assert.deepEqual((await at(1)).facts.user, { status: "invited" });
		assert.deepEqual((await at(2)).facts.user, { status: "active" });
	});

	it("reads changed roles of a grant under the current action name and the retired one", async () => {
		for (const action of ["grant.updated", "grant.changed"] as const) {
			const grant = { app_id: "a", grant_id: "g" };
			const { at } = trail(
				...BEGINNING,
				["application_role:r", "application_role.created", { name: "reader", permissions: ["a"] }],
				[USER, "grant.created", { ...grant, role_ids: [] }],
				[USER, action, { ...grant, role_ids: ["r"] }],
			);
			const names = async (atMs: number) =>
				(await at(atMs)).facts.grants.map(({ roles }) => roles.map(({ name }) => name));
			assert.deepEqual([await names(4), await names(5)], [[[]], [["reader"]]], action);
		}
	});

	it("reads the trail at most three times", async () => {
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
			expiresAtMs: null,
		});
		assert.equal(reads(), 3);
	});

	it("names what the trail does not record", async () => {
		const { at } = trail([USER, "user.updated", { status: "disabled" }]);
		const gaps = [
			"the trail does not record the creation of user:u",
			"the trail does not record the creation of application:a",
		];
		assert.deepEqual((await at(0)).gaps, gaps);
		assert.deepEqual((await at(1)).facts.user, { status: "disabled" });
		assert.deepEqual((await at(1)).gaps, gaps.slice(1));
		assert.deepEqual((await at(0, ABSENT)).gaps, gaps.slice(0, 1));
		assert.deepEqual((await trail().at(0, ABSENT)).gaps, []);
	});

	it("reports that the beginning of the trail was removed", async () => {
		const { history } = trail(...BEGINNING);
		const cut = { ...history, findCutAtMs: async () => Date.parse("2026-01-01T00:00:00Z") };
		const { gaps } = await loadPastFacts(cut, "t", { userId: "u", appId: "a", today: TODAY }, 2);
		assert.deepEqual(gaps, ["events before 2026-01-01T00:00:00.000Z were removed from the trail"]);
	});
});
