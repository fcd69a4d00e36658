// Query parameters and body fields a route does not have: 400 on every Bearer route, ignored on every other.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Route } from "../../src/http/guard.ts";
import { bodySchemaOf } from "../../src/http/known-names.ts";
import { ASSIGNED_FIELDS } from "../../src/http/validation.ts";
import { mapOfRoutes } from "../harness/routes.ts";
import { type Answer, startTestService, type TestService } from "../harness/service.ts";
import { buildSides, type Caller, type Sides } from "../matrix/sides.ts";
import { type Ids, type Row, TABLE } from "../matrix/table.ts";

const UNKNOWN = "surprise";
const PROBLEM = { accept: "application/problem+json" };

interface Sent {
	readonly path: string;
	readonly body: object | undefined;
}

describe("names a route does not have", () => {
	let service: TestService;
	let sides: Sides;
	let routes: readonly Route[];
	before(async () => {
		service = await startTestService();
		sides = await buildSides(service);
		routes = await mapOfRoutes();
	});
	after(() => service.stop());

	const rowOf = ({ method, path }: Route): Row => TABLE[`${method} ${path}`] as Row;
	const bearerRoutes = (): Route[] => routes.filter(({ guard }) => guard.security === "bearer");
	const otherRoutes = (): Route[] => routes.filter(({ guard }) => guard.security !== "bearer");
	let count = 0;

	const callerOf = ({ guard }: Route): Caller =>
		sides.callers[guard.security === "signed" ? "client with scope" : "platform admin"] as Caller;
	const passwordOf = (route: Route): string => {
		const caller = callerOf(route);
		return caller.kind === "person" ? caller.password : "";
	};

	/** A valid call of the route, with things made for it. */
	const validCall = async (route: Route): Promise<Sent> => {
		const row = rowOf(route);
		const ids: Ids = (await row.things?.(sides.own)) ?? {};
		const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "unknown");
		return { path, body: row.body?.(ids, 1_000 + ++count, passwordOf(route)) as object | undefined };
	};
	const send = async (route: Route, row: Row, { path, body }: Sent): Promise<Answer> => {
		const { method, guard } = route;
		const caller = callerOf(route);
		if (caller.kind === "client") {
			const credentials = row.disposable === true ? await caller.again() : caller.credentials;
			return service.signed(credentials, method, path, { body });
		}
		const token = caller.kind === "person" ? caller.token : "";
		const proof = guard.security === "bearer" ? { token } : {};
		return service.call(method, path, { ...proof, body, headers: PROBLEM });
	};
	const assertRefused = (answer: Answer, name: string): void => {
		assert.equal(answer.status, 400, `${name}: ${JSON.stringify(answer.body)}`);
		assert.equal(answer.body.code, "request.invalid", name);
		const [error, ...others] = answer.body.errors;
		assert.ok(error, name);
		assert.deepEqual([error.field, others], [UNKNOWN, []], name);
		assert.match(error.message, /^is unknown: /, name);
	};

	it("are 400 in the query of every Bearer route, which lists the known names", async () => {
		for (const route of bearerRoutes()) {
			const { path, body } = await validCall(route);
			const answer = await send(route, rowOf(route), { path: `${path}?${UNKNOWN}=1`, body });
			const name = `${route.method} ${route.path}`;
			assertRefused(answer, name);
			for (const known of Object.keys(route.endpoint.query))
				assert.ok(answer.body.errors[0]?.message.includes(known), name);
		}
	});

	it("are 400 in the body of every Bearer route that may have one", async () => {
		for (const route of bearerRoutes().filter(({ method }) => method !== "GET")) {
			const { path, body } = await validCall(route);
			const answer = await send(route, rowOf(route), { path, body: { ...body, [UNKNOWN]: 1 } });
			assertRefused(answer, `${route.method} ${route.path}`);
		}
	});

	it("are 400 in objects inside a body, with their path", async () => {
		const body = {
			name: "Nested",
			slug: "nested",
			admin: { username: "nested", email: "n@example.org", password: "a nested password", pasword: "x" },
		};
		const token = (sides.callers["platform admin"] as { token: string }).token;
		const answer = await service.call("POST", "/api/v1/tenants", { token, body, headers: PROBLEM });
		assert.equal(answer.status, 400);
		assert.deepEqual(answer.body.errors, [
			{ field: "admin.pasword", message: "is unknown: did you mean password?" },
		]);
	});

	it("are refused with the nearest known name, or with all known names", async () => {
		const token = await service.adminToken();
		const tell = async (body: object): Promise<string> =>
			(await service.call("POST", "/api/v1/applications", { token, body })).body.error;
		assert.equal(
			await tell({ name: "A", descripton: "x" }),
			"descripton is unknown: did you mean description?",
		);
		assert.match(await tell({ name: "A", zzzzzzzz: 1 }), /^zzzzzzzz is unknown: the fields are name, slug, /);
		assert.match(await tell({ nmae: "A" }), /name is required.*nmae is unknown: did you mean name\?/);
	});

	it("are refused briefly, at any length and number", async () => {
		const token = await service.adminToken();
		const many = Object.fromEntries(
			Array.from({ length: 900 }, (_, index) => [`${index}${"x".repeat(50)}`, 1]),
		);
		const alone = ["y".repeat(60_000), "", "\u0000", "😀".repeat(9_000)].map((name) => ({ [name]: 1 }));
		for (const extra of [...alone, many]) {
			const query = new URLSearchParams(Object.keys(extra).map((name) => [name.slice(0, 100), "1"]));
			const path = `/api/v1/applications?${query.toString().slice(0, 8_000)}`;
			const answers = [
				await service.call("POST", "/api/v1/applications", { token, body: { name: "A", ...extra } }),
				await service.call("GET", path, { token }),
			];
			for (const { status, body } of answers) {
				assert.equal(status, 400);
				assert.ok(body.error.length < 2_000, body.error);
			}
		}
	});

	it("that only the service sets have no effect in a body", async () => {
		let assigned = 0;
		for (const route of bearerRoutes()) {
			const names = (bodySchemaOf(route, routes)?.[ASSIGNED_FIELDS] ?? []) as readonly string[];
			if (names.length === 0) continue;
			const row = rowOf(route);
			const { path, body } = await validCall(route);
			const extra = Object.fromEntries(names.map((name) => [name, "of the caller's making"]));
			const answer = await send(route, row, { path, body: { ...body, ...extra } });
			assert.equal(answer.status, row.ok, `${route.method} ${path}: ${JSON.stringify(answer.body)}`);
			assert.doesNotMatch(JSON.stringify(answer.body ?? ""), /of the caller's making/, path);
			assigned += names.length;
		}
		assert.ok(assigned > 50, `${assigned} fields`);
	});

	it("are ignored in the query and body of every public, sign-in and signed route", async () => {
		for (const route of otherRoutes()) {
			const row = rowOf(route);
			const { path, body } = await validCall(route);
			const extra = body === undefined ? undefined : { ...body, [UNKNOWN]: { deep: [1] } };
			const answer = await send(route, row, { path: `${path}?${UNKNOWN}=1&${UNKNOWN}=2`, body: extra });
			assert.equal(answer.status, row.ok, `${route.method} ${path}: ${JSON.stringify(answer.body)}`);
			assert.ok(!JSON.stringify(answer.body ?? "").includes(UNKNOWN), path);
		}
	});
});

describe("a body for an endpoint without a body", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	it("is no error while it holds no field", async () => {
		const token = await service.adminToken();
		const { id } = await service.addUser({
			username: "ada",
			email: "ada@example.org",
			password: "analytical engine",
		});
		const path = `/api/v1/users/${id}/sessions/revoke`;
		for (const body of [undefined, "", "{}", "null", "[]", "no json"]) {
			const answer = await service.call("POST", path, { token, ...(body !== undefined && { body }) });
			assert.equal(answer.status, 200, JSON.stringify(body));
		}
		const headers = { "content-type": "text/plain" };
		assert.equal((await service.call("POST", path, { token, body: "x", headers })).status, 200);
	});
});
