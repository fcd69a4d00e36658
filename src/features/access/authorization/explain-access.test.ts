import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	type AccessFacts,
	decideAccess,
	type FactGrant,
	type FactRole,
	permits,
} from "../../../domain/access.ts";
import { explainAccess, type Need } from "./explain-access.ts";

const role = (name: string, ...permissions: string[]): FactRole => ({
	id: `id of ${name}`,
	name,
	permissions,
});
const grant = (id: string, group: string | undefined, ...roles: FactRole[]): FactGrant => ({
	id,
	group: group === undefined ? undefined : { id: `id of ${group}`, name: group },
	roles,
	expiresAtMs: null,
});
const assigned: AccessFacts = {
	user: { status: "active" },
	application: { status: "active", accessPolicy: "assigned" },
	grants: [],
};

describe("explainAccess", () => {
	it("lists the user's own grant first, then grants of groups by name, in any input order", () => {
		const grants = [grant("3", "Zoo"), grant("2", "Art"), grant("1", undefined)];
		const { rules } = explainAccess({ ...assigned, grants }, undefined, []);
		assert.deepEqual(
			rules.map(({ by, grantId, group }) => [by, grantId, group?.name]),
			[
				["grant", "1", undefined],
				["grant", "2", "Art"],
				["grant", "3", "Zoo"],
			],
		);
	});

	it("names each role that grants a permission, and the pattern that covers it", () => {
		const grants = [
			grant("1", "Art", role("b", "orders:read", "orders:*"), role("idle", "bills"), role("a", "*")),
		];
		const { rules } = explainAccess({ ...assigned, grants }, "orders:read", []);
		assert.deepEqual(
			rules.map(({ role, permission }) => [role?.name, permission]),
			[
				["a", "*"],
				["b", "orders:*"],
			],
		);
	});

	it("does not list the open policy as a rule that grants a permission", () => {
		const open: AccessFacts = { ...assigned, application: { status: "active", accessPolicy: "open" } };
		const explained = explainAccess(open, "orders:read", [role("reader", "orders:read"), role("idle")]);
		assert.deepEqual(explained.rules, []);
		assert.deepEqual(explained.needed, [{ what: "permission", roles: ["reader"] }]);
	});

	it("lists no need if allowed, and meeting all needs allows it", () => {
		const statuses = [undefined, "active", "disabled"] as const;
		const defined = [role("reader", "orders:*"), role("idle")];
		const grantSets = [
			[],
			[grant("1", undefined)],
			[grant("1", "Art", role("idle")), grant("2", "Zoo", role("a", "*"))],
		];
		let count = 0;
		for (const user of statuses)
			for (const app of statuses)
				for (const accessPolicy of ["open", "assigned"] as const)
					for (const grants of grantSets)
						for (const permission of [undefined, "orders:read"]) {
							const facts: AccessFacts = {
								user: user && { status: user },
								application: app && { status: app, accessPolicy },
								grants,
							};
							const { decision, rules, needed } = explainAccess(facts, permission, defined);
							assert.deepEqual(decision, decideAccess(facts, permission));
							assert.equal(needed.length === 0, decision.allowed);
							assert.equal(rules.length > 0, decision.allowed);
							const helped = needed.reduce((known, need) => help(known, need, defined), facts);
							if (facts.application !== undefined)
								assert.equal(
									decideAccess(helped, permission).allowed,
									true,
									JSON.stringify({ facts, needed }),
								);
							count += 1;
						}
		assert.equal(count, 108);
	});
});

/** The facts once the need is met. */
function help(facts: AccessFacts, { what, roles }: Need, defined: readonly FactRole[]): AccessFacts {
	switch (what) {
		case "user_exists":
		case "user_active":
			return { ...facts, user: { status: "active" } };
		case "application_exists":
			return { ...facts, application: { status: "active", accessPolicy: "assigned" } };
		case "application_active":
			return { ...facts, application: { accessPolicy: "assigned", ...facts.application, status: "active" } };
		case "grant":
			return { ...facts, grants: [grant("new", undefined)] };
		case "permission": {
			const first = defined.filter(({ name }) => roles.includes(name)).slice(0, 1);
			assert.ok(
				first.every(({ permissions }) => permissions.some((pattern) => permits(pattern, "orders:read"))),
			);
			return { ...facts, grants: [...facts.grants, grant("more", undefined, ...first)] };
		}
	}
}
