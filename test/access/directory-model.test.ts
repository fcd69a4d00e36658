// 200 random requests of two directories, in two tenants and with the same names, agree with a model in memory.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, it } from "node:test";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import {
	addDirectory,
	GROUP,
	type ScimBody,
	type TestDirectory,
	USER,
} from "../harness/providers/directories.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { type Random, seededRandom } from "../harness/runs/random.ts";

const OPERATIONS = 200;
const COMPARED_EVERY = 10;
const PEOPLE = 6;
const NAMES = ["Sales", "Support", "Sales EU"];

interface Person {
	readonly userName: string;
	readonly externalId: string;
	readonly displayName: string;
	readonly active: boolean;
}
interface Group {
	readonly displayName: string;
	readonly members: ReadonlySet<string>;
}

/** What a directory must show, decided without the code under test. */
class Model {
	readonly people = new Map<string, Person>();
	readonly groups = new Map<string, Group>();
	/** The accounts of removed people, by `externalId`. */
	readonly left = new Map<string, string>();

	/** Whether another person has one of both names. */
	takes({ userName, externalId }: Person, id?: string): boolean {
		return [...this.people].some(
			([other, person]) =>
				other !== id && (same(person.userName, userName) || person.externalId === externalId),
		);
	}

	takesGroup(displayName: string, id?: string): boolean {
		return [...this.groups].some(([other, group]) => other !== id && group.displayName === displayName);
	}

	setMembers(id: string, members: Iterable<string>): void {
		const group = this.groups.get(id);
		if (group !== undefined) this.groups.set(id, { ...group, members: new Set(members) });
	}

	remove(id: string): void {
		this.left.set(this.people.get(id)?.externalId ?? "", id);
		this.people.delete(id);
		for (const [group, { members }] of this.groups)
			this.setMembers(
				group,
				[...members].filter((member) => member !== id),
			);
	}
}

const service = testService();
const sides: { readonly directory: TestDirectory; readonly model: Model }[] = [];
setup(async () => {
	const { adminToken } = await addSecondTenant(service);
	for (const token of [undefined, adminToken])
		sides.push({ directory: await addDirectory(service, {}, {}, token), model: new Model() });
});

describe("directories and a model of them", () => {
	it(`agree after ${OPERATIONS} random requests, of which none crosses to another tenant`, async () => {
		const seed = randomInt(2 ** 31);
		const random = seededRandom(seed);
		const statuses = new Map<string, number>();
		for (let count = 1; count <= OPERATIONS; count++) {
			const [side, other] = random(2) === 0 ? sides : sides.toReversed();
			if (side === undefined || other === undefined) throw new Error("no directories");
			const name = OPERATION_NAMES[random(OPERATION_NAMES.length)] as keyof typeof OPERATION;
			const status = await OPERATION[name](side.directory, side.model, random, other.model).catch(
				(error: Error) => assert.fail(`seed ${seed}, ${count}: ${name}: ${error.message}`),
			);
			statuses.set(`${name} ${status}`, (statuses.get(`${name} ${status}`) ?? 0) + 1);
			if (count % COMPARED_EVERY === 0)
				for (const { directory, model } of sides)
					assert.deepEqual(await shownBy(directory), expected(model), `seed ${seed}, ${count}: ${name}`);
		}
		// Names are few, so that they meet.
		assert.ok(
			[...statuses.keys()].some((each) => each.endsWith(" 409")),
			JSON.stringify([...statuses]),
		);
	});
});

type Operation = (directory: TestDirectory, model: Model, random: Random, other: Model) => Promise<number>;

const OPERATION = {
	async create(directory, model, random) {
		const person = randomPerson(random);
		const { status, body } = await directory.scim("POST", "Users", { schemas: [USER], ...person });
		assert.equal(status, model.takes(person) ? 409 : 201, JSON.stringify(body));
		if (status !== 201) return status;
		assert.equal(body.id, model.left.get(person.externalId) ?? body.id, "another account");
		assert.ok(!model.people.has(body.id));
		model.people.set(body.id, person);
		model.left.delete(person.externalId);
		return status;
	},
	async replace(directory, model, random) {
		const [id, before] = pick(model.people, random);
		const person = { ...randomPerson(random), externalId: before?.externalId ?? "id-0" };
		const { status } = await directory.scim("PUT", `Users/${id}`, { schemas: [USER], ...person });
		assert.equal(status, before === undefined ? 404 : model.takes(person, id) ? 409 : 200);
		if (status === 200) model.people.set(id, person);
		return status;
	},
	async switch(directory, model, random) {
		const [id, person] = pick(model.people, random);
		const active = random(2) === 0;
		const value = random(2) === 0 ? active : active ? "True" : "False";
		const { status, body } = await directory.patch(`Users/${id}`, { op: "Replace", path: "active", value });
		assert.equal(status, person === undefined ? 404 : 200);
		if (person === undefined) return status;
		assert.equal(body.active, active);
		model.people.set(id, { ...person, active });
		return status;
	},
	async remove(directory, model, random) {
		const [id, person] = pick(model.people, random);
		const { status } = await directory.scim("DELETE", `Users/${id}`);
		assert.equal(status, person === undefined ? 404 : 204);
		if (person !== undefined) model.remove(id);
		return status;
	},
	async find(directory, model, random) {
		const { userName } = randomPerson(random);
		const filter = encodeURIComponent(`userName eq "${userName}"`);
		const { status, body } = await directory.scim("GET", `Users?filter=${filter}`);
		const ids = [...model.people].filter(([, each]) => same(each.userName, userName)).map(([id]) => id);
		assert.deepEqual(
			body.Resources.map(({ id }) => id),
			ids,
		);
		return status;
	},
	async cross(directory, model, random, other) {
		const [id] = pick(other.people, random);
		const [group] = pick(model.groups, random);
		const off = { op: "replace", path: "active", value: false };
		const add = { op: "add", path: "members", value: [{ value: id }] };
		assert.equal((await directory.patch(`Groups/${group}`, add)).status, model.groups.has(group) ? 400 : 404);
		assert.equal((await directory.scim("DELETE", `Users/${id}`)).status, 404);
		return (await directory.patch(`Users/${id}`, off)).status;
	},
	async createGroup(directory, model, random) {
		const displayName = NAMES[random(NAMES.length)] ?? "";
		const members = some(model.people, random);
		const sent = { schemas: [GROUP], displayName, members: members.map((value) => ({ value })) };
		const { status, body } = await directory.scim("POST", "Groups", sent);
		assert.equal(status, model.takesGroup(displayName) ? 409 : 201);
		if (status === 201) model.groups.set(body.id, { displayName, members: new Set(members) });
		return status;
	},
	async renameGroup(directory, model, random) {
		const [id, group] = pick(model.groups, random);
		const displayName = NAMES[random(NAMES.length)] ?? "";
		const { status } = await directory.patch(`Groups/${id}`, { op: "replace", value: { displayName } });
		assert.equal(status, group === undefined ? 404 : model.takesGroup(displayName, id) ? 409 : 200);
		if (status === 200 && group !== undefined) model.groups.set(id, { ...group, displayName });
		return status;
	},
	async members(directory, model, random) {
		const [id, group] = pick(model.groups, random);
		const named = some(model.people, random);
		const value = named.map((each) => ({ value: each }));
		const filter = named.map((each) => `value eq "${each}"`).join(" or ");
		const before = [...(group?.members ?? [])];
		const kept = before.filter((member) => !named.includes(member));
		const [operation, after] = (
			[
				[{ op: "add", path: "members", value }, [...before, ...named]],
				[{ op: "Remove", path: "members", value }, kept],
				[{ op: "replace", path: "members", value }, named],
				[{ op: "remove", path: `members[${filter || 'value eq "0"'}]` }, kept],
			] as const
		)[random(4)] ?? [{}, before];
		const { status, body } = await directory.patch(`Groups/${id}`, operation);
		assert.equal(status, group === undefined ? 404 : 200, JSON.stringify(body));
		model.setMembers(id, after);
		return status;
	},
	async removeGroup(directory, model, random) {
		// Rarely: groups are few.
		const [id, group] = random(3) === 0 ? pick(model.groups, random) : [UNKNOWN];
		const { status } = await directory.scim("DELETE", `Groups/${id}`);
		assert.equal(status, group === undefined ? 404 : 204);
		model.groups.delete(id);
		return status;
	},
} satisfies Record<string, Operation>;
const OPERATION_NAMES = Object.keys(OPERATION);
const UNKNOWN = "01980000-0000-7000-8000-000000000001";

function randomPerson(random: Random): Person {
	const number = random(PEOPLE);
	const userName = `person-${random(4) === 0 ? random(PEOPLE) : number}@corp.example`;
	return {
		userName: random(3) === 0 ? userName.toUpperCase() : userName,
		externalId: `id-${number}`,
		displayName: `Name ${random(100)}`,
		active: random(3) > 0,
	};
}

/** One of them, or an id that no one has. */
function pick<Value>(map: ReadonlyMap<string, Value>, random: Random): [string, Value?] {
	return [...map][random(map.size + 1)] ?? [UNKNOWN];
}

function some(map: ReadonlyMap<string, unknown>, random: Random): string[] {
	return [...map.keys()].filter(() => random(2) === 0);
}

function same(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}

async function shownBy(directory: TestDirectory) {
	const list = async (type: string) => (await directory.scim("GET", `${type}?count=100`)).body.Resources;
	const ofPerson = ({ id, userName, externalId, displayName, active }: ScimBody) =>
		[id, { userName, externalId, displayName, active }] as const;
	const ofGroup = ({ id, displayName, members = [] }: ScimBody) =>
		[id, { displayName, members: members.map(({ value }) => value).sort() }] as const;
	return {
		people: Object.fromEntries((await list("Users")).map(ofPerson)),
		active: (await directory.scim("GET", "Users?filter=active%20eq%20true&count=0")).body.totalResults,
		groups: Object.fromEntries((await list("Groups")).map(ofGroup)),
	};
}

function expected({ people, groups }: Model) {
	const ofGroup = ([id, { displayName, members }]: [string, Group]) =>
		[id, { displayName, members: [...members].sort() }] as const;
	return {
		people: Object.fromEntries(people),
		active: [...people.values()].filter((person) => person.active).length,
		groups: Object.fromEntries([...groups].map(ofGroup)),
	};
}
