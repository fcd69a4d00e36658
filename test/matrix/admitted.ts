// Calls every route as a caller that its guard admits.

import assert from "node:assert/strict";
import type { Route } from "../../src/http/describe/guard.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { type CallResponse, startTestService, type TestService } from "../harness/service/service.ts";
import { buildSides, type Caller } from "./sides.ts";
import { type Ids, type Row, TABLE } from "./table.ts";

export interface AdmittedRequest {
	/** Default: ids of absent records. */
	readonly ids?: Ids;
	/** Includes the question mark. */
	readonly query?: string;
	/** A string or Buffer is sent unchanged. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Admitted {
	readonly service: TestService;
	readonly routes: readonly Route[];
	rowOf(route: Route): Row;
	/** Existing records of the caller's tenant, created once per route: for calls that change nothing. */
	keptThings(route: Route): Promise<Ids>;
	createRecords(route: Route): Promise<Ids>;
	/** A body that the schema of the route accepts. Default password: the caller's own. */
	bodyOf(route: Route, ids: Ids, password?: string): object | undefined;
	/** Each call uses its own IP address, so that no limit per address refuses it. */
	send(route: Route, request: AdmittedRequest): Promise<CallResponse>;
}

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The path with these ids; without one, that of an absent record. */
export const pathOf = (template: string, ids: Ids): string =>
	template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ABSENT_ID);

/** Starts a service with two tenants. Its caller stops the service. */
export async function startAdmitted(env: Readonly<Record<string, string>> = {}): Promise<Admitted> {
	const service = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1", ...env } });
	const { own, callers } = await buildSides(service);
	const routes = await mapOfRoutes();
	const rowOf = (route: Route): Row => {
		const row = TABLE[nameOf(route)];
		assert.ok(row, `test/matrix/table.ts has ${nameOf(route)}`);
		return row;
	};
	const callerOf = (route: Route): Caller => {
		const person = rowOf(route).who === "supporter" ? "supporter" : "platform admin";
		return callers[route.guard.security === "signed" ? "client with scope" : person] as Caller;
	};
	const passwordOf = (route: Route): string => {
		const caller = callerOf(route);
		return caller.kind === "person" ? caller.password : "";
	};
	const createRecords = async (route: Route): Promise<Ids> => (await rowOf(route).records?.(own)) ?? {};
	const kept = new Map<Route, Promise<Ids>>();
	let count = 1_000;
	const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
	return {
		service,
		routes,
		rowOf,
		createRecords,
		keptThings(route) {
			const records = kept.get(route) ?? createRecords(route);
			kept.set(route, records);
			return records;
		},
		bodyOf: (route, ids, password = passwordOf(route)) =>
			rowOf(route).body?.(ids, ++count, password) as object | undefined,
		async send(route, { ids = {}, query = "", body, headers }) {
			const path = pathOf(route.path, ids) + query;
			const sent = {
				body,
				headers: { "x-forwarded-for": addressOf(++count), ...headers },
				https: rowOf(route).https === true,
			};
			const caller = callerOf(route);
			if (caller.kind === "client") {
				const credentials = rowOf(route).disposable === true ? await caller.again() : caller.credentials;
				return service.signed(credentials, route.method, path, sent);
			}
			if (rowOf(route).who === "set-up link") {
				const body = { domain: `admitted-${++count}.example` };
				const { url } = await own.make("POST", "/api/v1/identity-providers/set-up-links", body);
				return service.call(route.method, path, { token: String(url).split("#")[1], ...sent });
			}
			if (caller.kind !== "person" || route.guard.security !== "bearer")
				return service.call(route.method, path, sent);
			const token = rowOf(route).disposable === true ? await caller.again() : caller.token;
			return service.call(route.method, path, { token, ...sent });
		},
	};
}
