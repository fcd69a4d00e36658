// Every signed route: what its guard refuses before the endpoint runs, and the scope that it needs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { addApiClient } from "../harness/access/applications.ts";
import {
	assertHttpsOnly,
	assertPlainGet,
	assertScoped,
	assertUnsigned,
	type SignedCall,
} from "../harness/access/signed-endpoint.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { nameOf, pathOf } from "./admitted.ts";
import { buildSides } from "./sides.ts";
import { TABLE } from "./table.ts";

const service = testService();
const client = fixture(() => addApiClient(service));
let calls: readonly (readonly [Route, SignedCall])[];
setup(async () => {
	const { own } = await buildSides(service);
	const signed = (await mapOfRoutes()).filter(({ guard }) => guard.security === "signed");
	calls = await Promise.all(
		signed.map(async (route) => {
			const { records, body } = TABLE[nameOf(route)] ?? {};
			const ids = (await records?.(own)) ?? {};
			const sent = body?.(ids, 1, "") as object | undefined;
			return [
				route,
				{ method: route.method, path: pathOf(route.path, ids), ...(sent && { body: sent }) } as SignedCall,
			] as const;
		}),
	);
});

describe("every signed route", () => {
	it("returns 401 to unsigned, wrongly signed, and replayed calls, without a Bearer challenge unless it admits tokens", async () => {
		for (const [{ guard }, call] of calls)
			await assertUnsigned(service, client, call, guard.admitsKeys === true);
	});

	it("requires the scope of its row, and no other", async () => {
		const scoped = calls.filter(([route]) => TABLE[nameOf(route)]?.scope !== undefined);
		assert.ok(scoped.length >= 5, `${scoped.length} routes`);
		for (const [route, call] of scoped) await assertScoped(service, TABLE[nameOf(route)]?.scope ?? "", call);
	});

	it("returns 426 over plain HTTP, signed or unsigned", async () => {
		for (const [, call] of calls) await assertHttpsOnly(service, call);
	});

	it("that is a GET returns 400 to a body and to a target in absolute form", async () => {
		for (const [, { method, path }] of calls)
			if (method === "GET") await assertPlainGet(service, client, path);
	});
});
