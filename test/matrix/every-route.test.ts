// Every route × every kind of caller × records of the caller's tenant, of another tenant, and absent ones.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import type { CallResponse } from "../harness/service/service.ts";
import { pathOf } from "./admitted.ts";
import { buildSides, type Caller, type Side, type Sides } from "./sides.ts";
import { type Audience, type Ids, type Row, TABLE } from "./table.ts";

const IN_PERSON = [
	"plain user",
	"supporter",
	"reviewer",
	"auditor",
	"admin",
	"platform admin",
	"foreign admin",
];
/** Routes that require a role refuse them, regardless of their roles (docs/decisions/sessions.md#52). */
const HELD_BY_APPLICATION = [
	"admin with an application's token",
	"platform admin with an application's token",
];
const ADMITTED: Readonly<Record<Exclude<Audience, "everybody">, readonly string[]>> = {
	"signed in": [...IN_PERSON, ...HELD_BY_APPLICATION],
	"signed in, not for an application": IN_PERSON,
	admin: ["admin", "platform admin", "foreign admin"],
	"admin, auditor": ["admin", "auditor", "platform admin", "foreign admin"],
	"admin, reviewer": ["admin", "reviewer", "platform admin", "foreign admin"],
	"admin, reviewer, auditor": ["admin", "reviewer", "auditor", "platform admin", "foreign admin"],
	"platform admin": ["platform admin"],
	supporter: ["supporter"],
	"set-up link": [],
	client: ["client with scope", "client without", "foreign client"],
	"client with scope": ["client with scope", "foreign client"],
};

/** The users with the same roles as the keys. */
const ROLES_OF_KEY: Readonly<Record<string, string>> = {
	"auditor key": "auditor",
	"admin key": "admin",
	"platform admin key": "platform admin",
	"foreign admin key": "foreign admin",
};

/** A key is admitted if its row accepts keys and its roles suffice. */
function refusalOfKey({ who, keys }: Row, name: string): 401 | 403 | undefined {
	if (who === "everybody") return undefined;
	if (who === "set-up link") return 401;
	const isSigned = who.startsWith("client");
	if (isSigned && keys !== true) return 401;
	return keys === true && ADMITTED[isSigned ? "admin" : who].includes(ROLES_OF_KEY[name] ?? "")
		? undefined
		: 403;
}

/** Undefined if admitted. A caller without credentials of the right kind is unauthenticated. */
function refusalOf(row: Row, name: string, { kind }: Caller): 401 | 403 | undefined {
	if (kind === "key") return refusalOfKey(row, name);
	const { who } = row;
	// No other credential is one.
	if (who === "set-up link") return 401;
	if (who === "everybody" || ADMITTED[who].includes(name)) return undefined;
	return kind === (who.startsWith("client") ? "client" : "person") ? 403 : 401;
}

describe("every route", () => {
	let sides: Sides;
	const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
	before(async () => {
		sides = await buildSides(service);
	});

	it("is in the table, and nothing else is", async () => {
		const routes = (await mapOfRoutes()).map(({ method, path }) => `${method} ${path}`);
		assert.deepEqual(Object.keys(TABLE).sort(), routes.sort());
	});

	let count = 0;
	const ask = async (route: string, row: Row, caller: Caller, ids: Ids): Promise<CallResponse> => {
		const [method = "", template = ""] = route.split(" ");
		const path = pathOf(template, ids);
		const body = row.body?.(ids, ++count, caller.kind === "person" ? caller.password : "");
		const https = row.https === true || row.who.startsWith("client");
		// Wrong passwords count per IP address, so each route uses its own.
		const headers = { "x-forwarded-for": `198.51.100.${Object.keys(TABLE).indexOf(route)}` };
		if (caller.kind === "nobody") return service.call(method, path, { body, https, headers });
		if (caller.kind === "person") {
			const token = row.disposable === true ? await caller.again() : caller.token;
			return service.call(method, path, { token, body, https, headers });
		}
		if (caller.kind === "key") return service.call(method, path, { token: caller.key, body, https, headers });
		const credentials = row.disposable === true ? await caller.again() : caller.credentials;
		return service.signed(credentials, method, path, { body });
	};

	/** Created once per route and tenant: for calls that must not change them. */
	const kept = new Map<string, Promise<Ids>>();
	const recordsOf = (route: string, row: Row, side: Side): Promise<Ids> => {
		const key = `${route} ${side.tenantId}`;
		const records = kept.get(key) ?? Promise.resolve(row.records?.(side) ?? {});
		kept.set(key, records);
		return records;
	};

	/** The content of a response, without the requested ids. */
	const observed = ({ status, body }: CallResponse, ids: Ids): unknown => [
		status,
		Object.values(ids).reduce((text, id) => text.replaceAll(id, "ID"), JSON.stringify(body ?? null)),
	];

	/** Replaces each record with one of the other tenant, then with an absent one: the responses must be equal. */
	const checkWall = async (route: string, row: Row, name: string, caller: Caller): Promise<void> => {
		const isForeigner = name.startsWith("foreign");
		const [home, away] = isForeigner ? [sides.foreign, sides.own] : [sides.own, sides.foreign];
		const [mine, theirs] = [await recordsOf(route, row, home), await recordsOf(route, row, away)];
		for (const key of Object.keys(theirs)) {
			const absent = { ...mine, [key]: key === "provider_user_id" ? "absent" : ABSENT_ID };
			const expected = await ask(route, row, caller, absent);
			assert.equal(expected.status, row.absent ?? 404, `${route} as ${name}, ${key} absent`);
			if (row.tenantScoped?.includes(key) === false) continue;
			const foreign = { ...mine, [key]: theirs[key] as string };
			const actual = await ask(route, row, caller, foreign);
			assert.deepEqual(
				observed(actual, foreign),
				observed(expected, absent),
				`${route} as ${name}, ${key} foreign`,
			);
		}
	};

	const checkRoute = async (route: string, row: Row, name: string, caller: Caller): Promise<void> => {
		const refusal = refusalOf(row, name, caller);
		const home = name.startsWith("foreign") ? sides.foreign : sides.own;
		if (refusal === undefined) {
			const isRead = route.startsWith("GET ");
			const ids = isRead ? await recordsOf(route, row, home) : ((await row.records?.(home)) ?? {});
			const response = await ask(route, row, caller, ids);
			assert.equal(response.status, row.ok, `${route} as ${name}: ${JSON.stringify(response.body)}`);
			if (row.records !== undefined) await checkWall(route, row, name, caller);
			return;
		}
		// A refused caller learns nothing about existing records.
		const ids = [{}, await recordsOf(route, row, sides.own), await recordsOf(route, row, sides.foreign)];
		const responses = [];
		for (const these of ids) responses.push(observed(await ask(route, row, caller, these), these));
		for (const response of responses) assert.deepEqual(response, responses[0], `${route} as ${name}`);
		assert.equal((responses[0] as [number])[0], refusal, `${route} as ${name}`);
	};

	for (const [route, row] of Object.entries(TABLE))
		it(`${route}: ${row.who}`, async () => {
			for (const [name, caller] of Object.entries(sides.callers)) await checkRoute(route, row, name, caller);
		});
});
