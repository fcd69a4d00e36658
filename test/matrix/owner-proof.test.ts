// Every route at which users confirm who they are: with their password, or without one by a recent sign-in.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import {
	addPerson,
	auditOf,
	lockPassword,
	type Person,
	removePassword,
	signInToApplication,
} from "../harness/people/people.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import type { CallResponse } from "../harness/service/service.ts";
import { nameOf, pathOf } from "./admitted.ts";
import { buildSides, type Sides } from "./sides.ts";
import { type Row, TABLE } from "./table.ts";

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
let sides: Sides;
let routes: readonly Route[];
setup(async () => {
	sides = await buildSides(service);
	routes = (await mapOfRoutes()).filter(
		(route) => route.path.includes("/users/me/") && fieldOf(route) !== undefined,
	);
});

/** Changing the password always needs the current one, so it has rules of its own. */
const fieldOf = ({ endpoint: { body } }: Route): string | undefined =>
	body?.required.includes("current_password") === true
		? undefined
		: ["password", "current_password"].find((name) => name in (body?.properties ?? {}));

let count = 0;
/** Each call comes from its own IP address, which counts wrong passwords. */
async function ask(route: Route, token: string, password?: string): Promise<CallResponse> {
	const row = TABLE[nameOf(route)] as Row;
	const ids = (await row.records?.(sides.own)) ?? {};
	const body = { ...(row.body?.(ids, ++count, "") as object), [fieldOf(route) as string]: password };
	const headers = {
		accept: "application/problem+json",
		"x-forwarded-for": `10.0.${count >> 8}.${count & 255}`,
	};
	return service.call(route.method, pathOf(route.path, ids), { token, body, headers });
}

/** Asserts the response of every route, called as a new person each time. */
async function expectAll(
	send: (route: Route, person: Person) => Promise<CallResponse>,
	expected: (route: Route) => readonly unknown[],
): Promise<void> {
	for (const route of routes) {
		const person = await addPerson(service, `owner-${++count}`);
		const { status, body } = await send(route, person);
		assert.deepEqual([status, body.code, body.errors?.[0]?.field], expected(route), nameOf(route));
	}
}

const wrong = (route: Route): readonly unknown[] => [400, "password.wrong", fieldOf(route)];
const required = (route: Route): readonly unknown[] => [400, "request.invalid", fieldOf(route)];
const refused = (): readonly unknown[] => [403, "application.token", undefined];

describe("the proof of an owner", () => {
	it("is part of seven routes", () => {
		assert.deepEqual(routes.map(nameOf).sort(), [
			"DELETE /api/v1/users/me/mfa/passkeys/{id}",
			"DELETE /api/v1/users/me/mfa/totp",
			"POST /api/v1/users/me/email",
			"POST /api/v1/users/me/mfa/passkeys",
			"POST /api/v1/users/me/mfa/recovery-codes",
			"POST /api/v1/users/me/mfa/totp",
			"POST /api/v1/users/me/third-party-accounts/{provider}/start",
		]);
	});

	it("is the password of an account that has one, even right after a sign-in", () =>
		expectAll((route, { token }) => ask(route, token), required));

	it("is not a wrong password, which is audited", () =>
		expectAll(async (route, { id, token }) => {
			const response = await ask(route, token, "not the password");
			const event = (await auditOf(service, `user:${id}`)).at(-1);
			assert.match(event?.action ?? "", /_refused$|link_failed$/, nameOf(route));
			assert.equal(event?.details.reason, "password.wrong", nameOf(route));
			return response;
		}, wrong));

	it("is not even the correct password of a locked account", () =>
		expectAll(async (route, person) => {
			await lockPassword(service, person);
			return ask(route, person.token, person.password);
		}, wrong));

	it("is not the token of an application without the password, and is with it", async () => {
		await expectAll(async (route, person) => {
			const token = await signInToApplication(service, person);
			assert.notEqual((await ask(route, token, person.password)).status, 403, nameOf(route));
			await removePassword(service, person.id);
			return ask(route, token);
		}, refused);
		await expectAll(async (route, person) => ask(route, await signInToApplication(service, person)), refused);
	});

	it("is not a sign-in of more than five minutes ago, for an account without a password", () =>
		expectAll(async (route, { id, token }) => {
			await removePassword(service, id);
			service.clock.advance(5 * MINUTE_MS + 1);
			return ask(route, token);
		}, required));
});
