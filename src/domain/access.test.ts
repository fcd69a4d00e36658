import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freezeAll } from "../kernel/per-shared.ts";
import {
	type AccessFacts,
	DECISION_REASONS,
	type DecisionReason,
	decideAccess,
	type FactGrant,
	factsAt,
	permits,
	permitsAny,
} from "./access.ts";

describe("permits", () => {
	for (const [pattern, permission, expected] of [
		["*", "orders:read", true],
		["*", "anything", true],
		["orders:*", "orders:read", true],
		["orders:*", "orders:items:read", true],
		["orders:*", "orders", false],
		["orders:*", "ordersx:read", false],
		["orders:*", "xorders:read", false],
		["orders:*", "ORDERS:read", false],
		["orders:items:*", "orders:read", false],
		["orders:read", "orders:read", true],
		["orders:read", "orders:read:all", false],
		["orders:read", "orders:rea", false],
		["orders", "orders:read", false],
		["orders:read", "*", false],
		["orders:read", "orders:*", false],
		["orders:*", "*", false],
		["orders:*", "orders:*", true],
		["a.c", "abc", false],
	] as const) {
		it(`${pattern} ${expected ? "permits" : "does not permit"} ${permission}`, () => {
			assert.equal(permits(pattern, permission), expected);
			assert.equal(permitsAny(new Set(["other", pattern]), permission), expected);
		});
	}
});

describe("decideAccess", () => {
	it("denies by default", () => {
		assert.deepEqual(decideAccess({ user: undefined, application: undefined, grants: [] }), {
			allowed: false,
			reason: "user_not_found",
			roles: [],
			permissions: [],
		});
	});

	it("lists roles and permissions sorted and deduplicated, even if a permission is missing", () => {
		const facts: AccessFacts = {
			user: { status: "active" },
			application: { status: "active", accessPolicy: "assigned" },
			grants: [
				grantOf([["writer", ["orders:write", "orders:read"]]]),
				grantOf(
					[
						["writer", ["orders:write", "orders:read"]],
						["reader", ["orders:read"]],
					],
					"clerks",
				),
			],
		};
		const held = { roles: ["reader", "writer"], permissions: ["orders:read", "orders:write"] };
		assert.deepEqual(decideAccess(facts, "orders:read"), { allowed: true, reason: "ok", ...held });
		assert.deepEqual(decideAccess(facts, "bills:read"), {
			allowed: false,
			reason: "missing_permission",
			...held,
		});
	});

	it("agrees with a reference implementation over random facts", () => {
		const random = seeded(20_261_120);
		const seen = new Set<DecisionReason>();
		for (let round = 0; round < 20_000; round++) {
			const facts = randomFacts(random);
			const permission = random() < 0.3 ? undefined : pick(random, ASKED);
			const decision = decideAccess(facts, permission);
			seen.add(decision.reason);
			assert.deepEqual(decision, reference(facts, permission), JSON.stringify({ facts, permission }));
		}
		assert.deepEqual([...seen].sort(), [...DECISION_REASONS].sort());
	});
});

describe("factsAt", () => {
	it("counts what lasts at each of 10,000 random times, and is the same object until the next end", () => {
		const random = seeded(7);
		const endOf = (): number | null => (random() < 0.3 ? null : Math.floor(random() * 50));
		for (let cases = 0; cases < 10_000; ) {
			const drawn = randomFacts(random);
			const facts = freezeAll({
				...drawn,
				grants: drawn.grants.map((grant) => ({ ...grant, expiresAtMs: endOf() })),
			});
			const ends = facts.grants.map(({ expiresAtMs }) => expiresAtMs);
			let earlier: { readonly nowMs: number; readonly facts: AccessFacts } | undefined;
			for (let moments = 0; moments < 10; moments++, cases++) {
				const nowMs = Math.floor(random() * 52);
				const lasting = facts.grants.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
				const now = factsAt(facts, nowMs);
				const permission = random() < 0.1 ? undefined : pick(random, ASKED);
				assert.deepEqual(decideAccess(now, permission), reference({ ...facts, grants: lasting }, permission));
				assert.deepEqual(now.grants, lasting);
				assert.equal((now.ended ?? []).length, facts.grants.length - lasting.length);
				const [from = 0, to = 0] = [earlier?.nowMs ?? 0, nowMs].toSorted((a, b) => a - b);
				const isUnchanged = ends.every((end) => end === null || end <= from || end > to);
				if (earlier !== undefined && isUnchanged) assert.equal(now, earlier.facts);
				earlier = { nowMs, facts: now };
			}
		}
	});
});

const ASKED = ["orders:read", "orders:items:read", "orders", "bills:read", "b", "orders:*", "*"];
const GIVEN = ["*", "orders:*", "orders:items:*", "orders:read", "orders", "bills:read", "b", "bills:*"];

/**
 * A second implementation of the rule, as an ordered list of checks: "active user, active application, then `open`
 * or a grant, then the permission if one is given (`orders:*` and `*` match)".
 */
function reference(facts: AccessFacts, permission: string | undefined) {
	const held = new Map<string, Set<string>>();
	const roles = facts.grants.flatMap((grant) => grant.roles);
	for (const role of roles) {
		for (const given of role.permissions) held.set(given, new Set([...(held.get(given) ?? []), role.name]));
	}
	const covers = (given: string): boolean => {
		const wanted = String(permission).split(":");
		const parts = given.split(":");
		if (given === permission) return true;
		if (parts.at(-1) !== "*") return false;
		return wanted.length >= parts.length && parts.slice(0, -1).every((part, index) => part === wanted[index]);
	};
	const hurdles: [DecisionReason, boolean][] = [
		["user_not_found", facts.user !== undefined],
		["user_disabled", facts.user?.status !== "disabled"],
		["app_not_found", facts.application !== undefined],
		["app_disabled", facts.application?.status !== "disabled"],
		["not_assigned", facts.grants.length > 0 || facts.application?.accessPolicy === "open"],
		["missing_permission", permission === undefined || [...held.keys()].some(covers)],
	];
	const reason = hurdles.find(([, passed]) => !passed)?.[0] ?? "ok";
	const looked = reason === "ok" || reason === "missing_permission";
	return {
		allowed: reason === "ok",
		reason,
		roles: looked ? [...new Set(roles.map(({ name }) => name))].toSorted() : [],
		permissions: looked ? [...held.keys()].toSorted() : [],
	};
}

function randomFacts(random: () => number): AccessFacts {
	const status = () => (random() < 0.8 ? "active" : "disabled");
	const permissions = () => GIVEN.filter(() => random() < 0.15);
	return {
		user: random() < 0.9 ? { status: status() } : undefined,
		application:
			random() < 0.9 ? { status: status(), accessPolicy: random() < 0.4 ? "open" : "assigned" } : undefined,
		grants: [undefined, "clerks", "managers"]
			.filter(() => random() < 0.35)
			.map((group) =>
				grantOf(
					["viewer", "editor", "Admin"].filter(() => random() < 0.6).map((name) => [name, permissions()]),
					group,
				),
			),
	};
}

function grantOf(
	roles: readonly (readonly [name: string, permissions: readonly string[]])[],
	group?: string,
): FactGrant {
	return {
		id: `grant by ${group}`,
		group: group === undefined ? undefined : { id: group, name: group },
		roles: roles.map(([name, permissions]) => ({ id: name, name, permissions })),
		expiresAtMs: null,
	};
}

function pick<T>(random: () => number, values: readonly T[]): T {
	return values[Math.floor(random() * values.length)] as T;
}

/** The same numbers each time (a linear congruential generator, 2^32). */
function seeded(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}
