// Ten thousand random cases with ends: the check, the explanation, decisions about the past, claims, scopes, and the gate agree.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decideAccess } from "../../src/domain/access.ts";
import { judgeCaller } from "../../src/domain/gate-decision.ts";
import { explainDecision } from "../../src/features/access/authorization/explain-access.ts";
import { createOpenIdRules } from "../../src/features/identity/oauth/openid-rules.ts";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { AppError } from "../../src/kernel/error.ts";
import { APPLICATIONS, addApplication, addRole } from "../harness/access/applications.ts";
import { runRemoval } from "../harness/access/ends.ts";
import { addGroup, GROUPS } from "../harness/access/groups.ts";
import { testService } from "../harness/runs/fixture.ts";
import { seededShares } from "../harness/runs/random.ts";
import { type BesideService, openBeside } from "../harness/service/beside-service.ts";

const SEED = 20_261_129;
const PEOPLE = 40;
const MOMENTS = 250;
const ROLES = ["reader", "writer", "closer"] as const;
const permissionOf = (role: string) => `books:${role}`;

/** Roles until a time. */
interface Held {
	readonly roles: readonly string[];
	readonly endMs: number;
}

describe("decisions with ends", () => {
	const service = testService();
	let beside: BesideService;
	before(async () => {
		service.clock.standAt(service.clock.now());
		beside = await openBeside(service);
	});
	after(() => beside?.close());

	it("agree in 10,000 random cases, now and about the past", async () => {
		const { db, clock } = beside;
		const random = seededShares(SEED);
		const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
		const someRoles = () => ROLES.filter(() => random() < 0.5);
		const app = await addApplication(service);
		for (const role of ROLES) await addRole(service, app.id, role, [permissionOf(role)]);
		/** A third has no end. */
		const randomEnd = (): number =>
			random() < 0.33 ? Number.POSITIVE_INFINITY : clock() + MINUTE_MS * Math.ceil(random() * MOMENTS);
		const bodyOf = (endMs: number) => ({
			expires_at: endMs === Number.POSITIVE_INFINITY ? null : new Date(endMs).toISOString(),
		});
		const give = async (place: string): Promise<Held> => {
			const held = { roles: someRoles(), endMs: randomEnd() };
			await service.asAdmin("PUT", `${APPLICATIONS}/${app.id}/grants/${place}`, {
				roles: held.roles,
				...bodyOf(held.endMs),
			});
			return held;
		};
		const groups: { readonly id: string; readonly held: Held }[] = [];
		for (let count = 0; count < 8; count++) {
			const { id } = await addGroup(service);
			groups.push({ id, held: await give(`groups/${id}`) });
		}
		const people: { readonly id: string; readonly held: readonly Held[] }[] = [];
		for (let count = 0; count < PEOPLE; count++) {
			const email = `agreeing-${count}@people.example`;
			const { id } = await service.addUser({
				username: `agreeing-${count}`,
				email,
				password: "a long password",
			});
			const held: Held[] = random() < 0.5 ? [await give(`users/${id}`)] : [];
			for (const group of new Set([pick(groups), pick(groups)])) {
				const endMs = randomEnd();
				await service.asAdmin("PUT", `${GROUPS}/${group.id}/members/${id}`, bodyOf(endMs));
				held.push({ roles: group.held.roles, endMs: Math.min(endMs, group.held.endMs) });
			}
			people.push({ id, held });
		}
		const began = clock();
		const { id: first } = people[0] ?? { id: "" };
		const { tenant_id: tenantId } = await service.asAdmin("GET", `/api/v1/users/${first}`);
		const rules = createOpenIdRules({ db, clock, wakeMail: () => undefined });
		const expectedAt = (held: readonly Held[], atMs: number) => {
			const live = held.filter(({ endMs }) => atMs < endMs);
			return { allowed: live.length > 0, roles: [...new Set(live.flatMap(({ roles }) => roles))].sort() };
		};
		let cases = 0;
		let ended = 0;
		for (let moment = 0; moment < MOMENTS; moment++) {
			// Often exactly at an end, which are whole minutes after a creation.
			const ends = people
				.flatMap(({ held }) => held.map(({ endMs }) => endMs))
				.filter((endMs) => endMs > clock());
			const next =
				random() < 0.5
					? Math.min(...ends, clock() + MINUTE_MS)
					: clock() + Math.ceil(random() * 2 * MINUTE_MS);
			service.clock.standAt(next);
			if (moment % 50 === 49) await runRemoval(service);
			for (const { id, held } of people) {
				const hint = `seed ${SEED}, moment ${moment}, user ${id}`;
				const right = expectedAt(held, clock());
				const permissions = right.roles.map(permissionOf).sort();
				const facts = await db.stores.accessFacts.load(tenantId, id, app.id);
				const { allowed, roles } = decideAccess(facts);
				assert.deepEqual({ allowed, roles }, right, hint);
				const user = await db.stores.users.findById(tenantId, id);
				assert.ok(user);
				const client = { tenantId, applicationId: app.id } as Parameters<typeof rules.claimsOf>[1];
				const claims = await rules.claimsOf(user, client, ["roles"]);
				assert.deepEqual([claims.roles, claims.permissions], [right.roles, permissions], hint);
				const scopes = await rules.scopesOf(client, { kind: "user", id });
				assert.deepEqual([...scopes].sort(), permissions, hint);
				const asked = permissionOf(pick(ROLES));
				const caller = { kind: "person", id, name: "", facts, hasSecondFactor: false } as const;
				assert.equal(
					passes(() => judgeCaller(["person"], { path: "/*", needs: asked }, caller)),
					permissions.includes(asked),
					hint,
				);
				const atMs = random() < 0.5 ? clock() : began + Math.floor(random() * (clock() - began));
				const past = await explainDecision({ db, clock }, tenantId, { userId: id, appId: app.id, atMs });
				const then = expectedAt(held, atMs);
				assert.deepEqual(
					{ allowed: past.decision.allowed, roles: past.decision.roles },
					then,
					`${hint}, at ${atMs}`,
				);
				const now = await explainDecision({ db, clock }, tenantId, { userId: id, appId: app.id });
				assert.equal(now.decision.allowed, right.allowed, hint);
				if (!right.allowed && held.length > 0) assert.equal(now.ended.length > 0, true, hint);
				cases++;
				if (!right.allowed && held.length > 0) ended++;
			}
		}
		assert.equal(cases, 10_000);
		assert.ok(ended > 500, `${ended} cases after an end`);
	});
});

function passes(decide: () => unknown): boolean {
	try {
		decide();
		return true;
	} catch (error) {
		if (error instanceof AppError && error.code === "application.access_denied") return false;
		throw error;
	}
}
