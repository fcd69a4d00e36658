// Calls rows of the map without a request of their own: with their guard, their body schema, and their endpoint.

import type { Administrator } from "../../../domain/caller.ts";
import { MANAGED_BY } from "../../../domain/tenant.ts";
import type { Route } from "../../../http/describe/guard.ts";
import { bodySchemaOf } from "../../../http/describe/known-names.ts";
import { choice, nullable, type ObjectSchema } from "../../../http/describe/schema.ts";
import { validator } from "../../../http/describe/validation.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { invalidFields } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import type { Fields } from "./resource-table.ts";

export type Ids = Readonly<Record<string, string>>;

/** Of a record that a configuration file may have. */
export const managedBy = nullable(
	choice(MANAGED_BY, {
		description: "`configuration`: the configuration file that was applied last has it; null otherwise.",
	}),
);

/** Every row of the map over another platform. */
export type RowsOver = (platform: Platform) => readonly Route[];

export interface Rows {
	/** @returns the `data` of the response; every item of a list. */
	read(row: string, ids: Ids, query?: Fields): Promise<unknown>;
	/** @returns the `data` of the response, `{}` without one. */
	change(row: string, ids: Ids, body: Fields | undefined): Promise<Fields>;
	/** @throws AppError the refusal of the guard of the row. */
	admit(row: string): Promise<void>;
	schemaOf(row: string): ObjectSchema<unknown>;
}

/** More than any list has: the stores do not limit a page. */
const ALL = { page: 1, pageSize: 1_000_000 };

/** What is compiled once and shared by all requests. */
export class SharedChecks {
	readonly schemas = new Map<string, ObjectSchema<unknown>>();
	readonly #checks = new Map<string, ReturnType<typeof validator>>();

	/** @param name of the row, or of the file */
	of(name: string, schema: () => ObjectSchema<unknown>): ReturnType<typeof validator> {
		const check = this.#checks.get(name) ?? validator(schema());
		this.#checks.set(name, check);
		return check;
	}
}

const NO_FIELDS: ObjectSchema<unknown> = { type: "object", properties: {}, required: [], ignored: [] };

/** The bodies of rows, to be read. */
export function describeRows(
	routes: readonly Route[],
	{ schemas } = new SharedChecks(),
): Pick<Rows, "schemaOf"> {
	const find = finder(routes);
	return {
		schemaOf(row) {
			const schema = schemas.get(row) ?? bodySchemaOf(find(row), routes) ?? NO_FIELDS;
			schemas.set(row, schema);
			return schema;
		},
	};
}

function finder(routes: readonly Route[]): (row: string) => Route {
	const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
	return (row) => {
		const found = byName.get(row);
		if (found === undefined) throw new Error(`the map has no row ${row}`);
		return found;
	};
}

/** @param caller whom the row of the configuration admitted. */
export function createRows(
	routes: readonly Route[],
	caller: Administrator,
	request: Incoming,
	checks: SharedChecks,
): Rows {
	const find = finder(routes);
	const { schemaOf } = describeRows(routes, checks);
	const call = async (row: string, ids: Ids, query: Fields, body: unknown): Promise<unknown> => {
		const { endpoint } = find(row);
		const result = await endpoint.handle({ caller, ids, query, body, page: ALL, request });
		const wrapped = endpoint.response.wrap(result, ALL) as { readonly data?: unknown } | undefined;
		return wrapped?.data;
	};
	return {
		read: (row, ids, query = {}) => call(row, ids, query, undefined),
		async change(row, ids, body) {
			if (body === undefined) return ((await call(row, ids, {}, undefined)) ?? {}) as Fields;
			const check = checks.of(row, () => schemaOf(row));
			const given = structuredClone(body);
			const result = check(given);
			if (result !== true) throw invalidFields(result);
			return ((await call(row, ids, {}, given)) ?? {}) as Fields;
		},
		async admit(row) {
			await find(row).guard.admit(request, undefined);
		},
		schemaOf,
	};
}
