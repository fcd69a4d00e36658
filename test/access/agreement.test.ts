// After every change, all endpoints give the same access decision, and it matches a reference written from the contract alone.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ABSENT_ID, APPLICATIONS, addApiClient } from "../harness/access/applications.ts";
import { runRemoval } from "../harness/access/ends.ts";
import { GROUPS } from "../harness/access/groups.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { seededShares } from "../harness/runs/random.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

const SEED = 20_261_128;
const CHANGES = 180;
const USERS = "/api/v1/users";
const PERMISSIONS = ["*", "orders:*", "orders:read", "orders:items:*", "bills:read", "bills"];
const REQUESTED = [undefined, "orders:read", "orders:items:read", "bills:read", "bills", "stock:write"];

/** The state as the reference sees it: plain records, copied completely after each change. */
interface World {
	users: Record<string, string>;
	apps: Record<string, { policy: string; status: string }>;
	roles: Record<string, { app: string; name: string; permissions: string[] }>;
	/** Members, with the time at which each membership ends. */
	groups: Record<string, Record<string, number>>;
	/** By `app subject`, with the time at which the grant ends. */
	grants: Record<string, { roles: string[]; endMs: number }>;
}

type Explained = DataOf<"POST /api/v1/access/explain">;

/** What every endpoint returns for one question. */
interface Decision {
	readonly allowed: boolean;
	readonly reason: string;
	readonly roles: readonly string[];
	readonly permissions?: readonly string[];
}

/** "Active user, active application, then `open` or a grant (own or by a group), then the permission if one is requested". */
function reference(
	world: World,
	nowMs: number,
	userId: string,
	appId: string,
	requested: string | undefined,
) {
	const no = (reason: string) => ({
		allowed: false,
		reason,
		roles: [] as string[],
		permissions: [] as string[],
	});
	if (!(userId in world.users)) return no("user_not_found");
	if (world.users[userId] === "disabled") return no("user_disabled");
	const app = world.apps[appId];
	if (app === undefined) return no("app_not_found");
	if (app.status === "disabled") return no("app_disabled");
	const mine = Object.keys(world.groups).filter((group) => (world.groups[group]?.[userId] ?? 0) > nowMs);
	const granted = [userId, ...mine]
		.map((subject) => world.grants[`${appId} ${subject}`])
		.filter((g) => g !== undefined && g.endMs > nowMs)
		.map((g) => g?.roles ?? []);
	if (app.policy === "assigned" && granted.length === 0) return no("not_assigned");
	const held = [...new Set(granted.flat())].map((id) => world.roles[id]).filter((role) => role !== undefined);
	const roles = held.map(({ name }) => name).sort();
	const permissions = [...new Set(held.flatMap((role) => role.permissions))].sort();
	const covers = (pattern: string): boolean => {
		if (pattern === "*") return true;
		const [want, have] = [(requested ?? "").split(":"), pattern.split(":")];
		if (have.at(-1) !== "*") return pattern === requested;
		return want.length >= have.length && have.slice(0, -1).every((part, index) => part === want[index]);
	};
	if (requested !== undefined && !permissions.some(covers))
		return { ...no("missing_permission"), roles, permissions };
	return { allowed: true, reason: "ok", roles, permissions };
}

describe("every endpoint for access decisions", () => {
	let home: string;
	const service = testService();
	const client = fixture(() => addApiClient(service, { scopes: ["access:check", "access:check:tenant"] }));
	before(async () => {
		home = client.app_id;
		service.clock.standAt(service.clock.now());
	});

	const random = seededShares(SEED);
	const chance = (share: number): boolean => random() < share;
	const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
	const some = <T>(values: readonly T[]): T[] => values.filter(() => chance(0.4));
	let count = 0;
	interface End {
		readonly body: { readonly expires_at?: string | null };
		/** Undefined: the present end stays. */
		readonly endMs: number | undefined;
	}
	/** A third each: none, in one to three minutes, or left out. */
	const pickEnd = (): End => {
		const endMs = service.clock.now() + 60_000 + Math.floor(random() * 120_000);
		const choices: readonly End[] = [
			{ body: { expires_at: null }, endMs: Number.POSITIVE_INFINITY },
			{ body: { expires_at: new Date(endMs).toISOString() }, endMs },
			{ body: {}, endMs: undefined },
		];
		return choices[Math.floor(random() * 3)] as End;
	};
	/** What is over is new, and does not keep its end. */
	const keptEnd = ({ endMs }: End, present = 0): number =>
		endMs ?? (present > service.clock.now() ? present : Number.POSITIVE_INFINITY);
	const world: World = { users: {}, apps: {}, roles: {}, groups: {}, grants: {} };

	async function addUser(): Promise<void> {
		const username = `user-${++count}`;
		const status = chance(0.8) ? "active" : "disabled";
		const password = "a long and lonely password";
		const user = { username, email: `${username}@p.example`, password, status };
		world.users[(await service.asAdmin("POST", USERS, user)).id] = status;
	}
	async function addApp(): Promise<void> {
		const policy = chance(0.3) ? "open" : "assigned";
		const status = chance(0.8) ? "active" : "disabled";
		const app = { name: `App ${++count}`, access_policy: policy, status };
		world.apps[(await service.asAdmin("POST", APPLICATIONS, app)).id] = { policy, status };
	}
	async function addRole(app = pick(Object.keys(world.apps))): Promise<void> {
		if (app === undefined) return;
		const role = { name: `role-${++count}`, permissions: some(PERMISSIONS) };
		const { id } = await service.asAdmin("POST", `${APPLICATIONS}/${app}/roles`, role);
		world.roles[id] = { app, ...role };
	}
	async function addGroup(): Promise<void> {
		const { id } = await service.asAdmin("POST", GROUPS, { name: `Group ${++count}` });
		world.groups[id] = {};
	}

	const changes: Record<string, () => Promise<unknown>> = {
		addUser,
		addApp,
		addRole: () => addRole(),
		addGroup,
		async setUser() {
			const id = pick(Object.keys(world.users));
			if (id === undefined) return;
			const status = chance(0.6) ? "active" : "disabled";
			await service.asAdmin("PATCH", `${USERS}/${id}`, { status, display_name: `Name ${++count}` });
			world.users[id] = status;
		},
		async removeUser() {
			const id = Object.keys(world.users).length > 4 ? pick(Object.keys(world.users)) : undefined;
			if (id === undefined) return;
			await service.asAdmin("DELETE", `${USERS}/${id}`);
			delete world.users[id];
			for (const key of Object.keys(world.grants)) if (key.endsWith(id)) delete world.grants[key];
			for (const members of Object.values(world.groups)) delete members[id];
		},
		async setApp() {
			const id = pick(Object.keys(world.apps));
			if (id === undefined) return;
			const [status, policy] = [chance(0.8) ? "active" : "disabled", chance(0.3) ? "open" : "assigned"];
			const which = pick([
				{ status },
				{ access_policy: policy },
				{ status, access_policy: policy },
				{ name: "Other" },
			]);
			await service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, which);
			const app = world.apps[id] as World["apps"][string];
			world.apps[id] = {
				status: which && "status" in which ? status : app.status,
				policy: which && "access_policy" in which ? policy : app.policy,
			};
		},
		async removeApp() {
			const id = Object.keys(world.apps).length > 3 ? pick(Object.keys(world.apps)) : undefined;
			if (id === undefined) return;
			await service.asAdmin("DELETE", `${APPLICATIONS}/${id}`);
			delete world.apps[id];
			for (const key of Object.keys(world.grants)) if (key.startsWith(id)) delete world.grants[key];
			for (const [role, { app }] of Object.entries(world.roles)) if (app === id) delete world.roles[role];
		},
		async setRole() {
			const id = pick(Object.keys(world.roles));
			const role = world.roles[id ?? ""];
			if (id === undefined || role === undefined) return;
			const change = chance(0.3) ? { name: `role-${++count}` } : { permissions: some(PERMISSIONS) };
			await service.asAdmin("PATCH", `${APPLICATIONS}/${role.app}/roles/${id}`, change);
			world.roles[id] = { ...role, ...change };
		},
		async removeRole() {
			const id = pick(Object.keys(world.roles));
			const role = world.roles[id ?? ""];
			if (id === undefined || role === undefined) return;
			await service.asAdmin("DELETE", `${APPLICATIONS}/${role.app}/roles/${id}`);
			delete world.roles[id];
		},
		async removeGroup() {
			const id = pick(Object.keys(world.groups));
			if (id === undefined) return;
			await service.asAdmin("DELETE", `${GROUPS}/${id}`);
			delete world.groups[id];
			for (const key of Object.keys(world.grants)) if (key.endsWith(id)) delete world.grants[key];
		},
		async join() {
			const [group, user] = [pick(Object.keys(world.groups)), pick(Object.keys(world.users))];
			if (group === undefined || user === undefined) return;
			const end = pickEnd();
			await service.asAdmin("PUT", `${GROUPS}/${group}/members/${user}`, end.body);
			const members = world.groups[group] ?? {};
			world.groups[group] = members;
			members[user] = keptEnd(end, members[user]);
		},
		async leave() {
			const group = pick(Object.keys(world.groups));
			const members = world.groups[group ?? ""] ?? {};
			const user = pick(Object.keys(members).filter((id) => (members[id] ?? 0) > service.clock.now()));
			if (group === undefined || user === undefined) return;
			await service.asAdmin("DELETE", `${GROUPS}/${group}/members/${user}`);
			delete members[user];
		},
		async grant() {
			const byGroup = chance(0.5);
			const subject = pick(Object.keys(byGroup ? world.groups : world.users));
			const app = pick(Object.keys(world.apps));
			if (subject === undefined || app === undefined) return;
			const roles = some(Object.keys(world.roles).filter((id) => world.roles[id]?.app === app));
			const end = pickEnd();
			await service.asAdmin(
				"PUT",
				`${APPLICATIONS}/${app}/grants/${byGroup ? "groups" : "users"}/${subject}`,
				{ roles, ...end.body },
			);
			const key = `${app} ${subject}`;
			world.grants[key] = { roles, endMs: keptEnd(end, world.grants[key]?.endMs) };
		},
		async removeGrant() {
			const key = pick(
				Object.keys(world.grants).filter((key) => (world.grants[key]?.endMs ?? 0) > service.clock.now()),
			);
			if (key === undefined) return;
			const [app, subject = ""] = key.split(" ");
			const kind = subject in world.groups ? "groups" : "users";
			await service.asAdmin("DELETE", `${APPLICATIONS}/${app}/grants/${kind}/${subject}`);
			delete world.grants[key];
		},
	};
	/** Additions are more frequent than removals. */
	const often = "grant grant grant join join leave leave addRole addUser addApp addGroup setRole".split(" ");

	/** Every id that ever existed: deleted ones are queried too. */
	const known = {
		users: new Set<string>([ABSENT_ID]),
		apps: new Set<string>([ABSENT_ID]),
		grants: new Set<string>(),
		members: new Map<string, Set<string>>(),
	};
	function remember(): void {
		for (const id of Object.keys(world.users)) known.users.add(id);
		for (const id of Object.keys(world.apps)) known.apps.add(id);
		for (const key of Object.keys(world.grants)) known.grants.add(key);
		for (const [group, members] of Object.entries(world.groups))
			known.members.set(group, new Set([...(known.members.get(group) ?? []), ...Object.keys(members)]));
	}
	/** Half of the questions are about a user who has, or once had, a grant there. */
	const question = () => {
		const [app, subject = ""] = (chance(0.5) ? pick([...known.grants]) : undefined)?.split(" ") ?? [];
		const user = known.members.has(subject) ? pick([...(known.members.get(subject) ?? [])]) : subject;
		return {
			user_id: user || (pick([...(chance(0.8) ? Object.keys(world.users) : known.users)]) ?? ABSENT_ID),
			app_id: app ?? pick([...(chance(0.85) ? Object.keys(world.apps) : known.apps)]) ?? ABSENT_ID,
			permission: pick(REQUESTED),
		};
	};
	type Question = ReturnType<typeof question>;
	const verdict = ({ allowed, reason, roles, permissions }: Decision) => ({
		allowed,
		reason,
		roles,
		permissions,
	});
	const explain = async (query: object): Promise<Explained> =>
		await service.asAdmin("POST", "/api/v1/access/explain", query);
	const signed = async <const P extends string>(path: P, body: unknown) => {
		const response = await service.signed(client, "POST", path, { body });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body;
	};
	const evaluation = ({ user_id, app_id, permission }: Question) => ({
		subject: { type: "user", id: user_id },
		action: { name: permission ?? "@access" },
		resource: { type: "application", id: app_id },
	});
	const expected = (at: World, nowMs: number, { user_id, app_id, permission }: Question) =>
		reference(at, nowMs, user_id, app_id, permission);

	async function askEveryWay(questions: readonly Question[], hint: string): Promise<void> {
		const right = questions.map((one) => expected(world, service.clock.now(), one));
		const standard = right.map(({ allowed, reason }) => ({ decision: allowed, context: { reason } }));
		const many = await signed("/access/v1/evaluations", { evaluations: questions.map(evaluation) });
		assert.deepEqual(many.evaluations, standard, hint);
		const first = questions[0] as Question;
		assert.deepEqual(await signed("/access/v1/evaluation", evaluation(first)), standard[0], hint);
		const alone = await signed("/api/v1/external/users/check-access", first);
		assert.deepEqual(verdict(alone.data), right[0], hint);
		const explained = await explain(first);
		assert.deepEqual(verdict(explained), right[0], hint);
		assertExplained(explained, first, hint);
	}

	/** The rule exists and suffices; `needs` is present if and only if access is denied. */
	function assertExplained(
		explained: Explained,
		{ user_id, app_id, permission }: Question,
		hint: string,
	): void {
		assert.equal(explained.rules.length > 0, explained.allowed, hint);
		assert.equal(explained.needed.length > 0, !explained.allowed, hint);
		assert.deepEqual(explained.rule, explained.rules[0] ?? null);
		for (const { by, group, role, permission: covering } of explained.rules) {
			const alone: World = {
				...world,
				grants: {},
				apps: { [app_id]: { status: "active", policy: "assigned" } },
			};
			if (by === "open") {
				assert.equal(world.apps[app_id]?.policy, "open", hint);
				continue;
			}
			const key = `${app_id} ${group?.id ?? user_id}`;
			assert.ok(key in world.grants, hint);
			const endMs = Number.POSITIVE_INFINITY;
			alone.grants[key] = { roles: world.grants[key]?.roles ?? [], endMs };
			if (role !== null) {
				alone.grants[key] = { roles: [role.id], endMs };
				assert.deepEqual(world.roles[role.id]?.name, role.name, hint);
				assert.ok(world.roles[role.id]?.permissions.includes(covering ?? ""), hint);
			}
			assert.equal(reference(alone, service.clock.now(), user_id, app_id, permission).allowed, true, hint);
		}
	}

	it("agrees, through random changes, and about every moment that has passed", async () => {
		for (let more = 0; more < 4; more++) {
			for (const add of [addUser, addApp, addGroup]) await add();
			await addRole();
		}
		const past: { readonly at: string; readonly world: World }[] = [];
		const seen = new Map<string, number>();
		for (let step = 0; step < CHANGES; step++) {
			const name = pick(chance(0.6) ? often : Object.keys(changes)) as string;
			await changes[name]?.();
			remember();
			past.push({ at: new Date(service.clock.now()).toISOString(), world: structuredClone(world) });
			const questions = Array.from({ length: 1 + Math.floor(random() * 25) }, question);
			for (const one of questions) {
				const { reason } = expected(world, service.clock.now(), one);
				seen.set(reason, (seen.get(reason) ?? 0) + 1);
			}
			await askEveryWay(questions, `seed ${SEED}, step ${step}, ${name}`);
			service.clock.advance(1 + Math.floor(random() * 10_000));
			if (chance(0.1)) await runRemoval(service);
			for (const then of [pick(past), pick(past.slice(-20))] as (typeof past)[number][])
				await askAboutThePast(then, `seed ${SEED}, step ${step}, about ${then.at}`);
		}
		assert.equal(home in world.apps, false);
		for (const reason of [
			"ok",
			"user_not_found",
			"user_disabled",
			"app_not_found",
			"app_disabled",
			"not_assigned",
			"missing_permission",
		])
			assert.ok((seen.get(reason) ?? 0) >= 10, `${reason} came up ${seen.get(reason) ?? 0} times only`);
	});

	async function askAboutThePast(
		then: { readonly at: string; readonly world: World },
		hint: string,
	): Promise<void> {
		for (let more = 0; more < 3; more++) {
			const about = question();
			const explained = await explain({ ...about, at: then.at });
			assert.deepEqual(
				verdict(explained),
				expected(then.world, Date.parse(then.at), about),
				`${hint} ${JSON.stringify(about)}`,
			);
			assert.deepEqual([explained.at, explained.history], [then.at, { complete: true, missing: [] }], hint);
		}
		await askAboutNow(hint);
	}

	/** The current moment, reconstructed from the audit trail: the same rules as from the tables. */
	async function askAboutNow(hint: string): Promise<void> {
		const about = question();
		const at = new Date(service.clock.now()).toISOString();
		const { at: _, history: __, needed: ___, ...explained } = await explain({ ...about, at });
		const { at: ____, history: _____, needed: ______, ...today } = await explain(about);
		assert.deepEqual(explained, today, hint);
	}
});
