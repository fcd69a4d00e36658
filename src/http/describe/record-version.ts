// Versions of records: what PATCH and PUT change has an ETag on which its changes can depend (RFC 9110, section 13.1.1).

import { hash } from "node:crypto";
import type { Endpoint } from "./endpoint.ts";
import type { Route } from "./guard.ts";
import type { Schema } from "./schema.ts";

/** What the version of a record is made of. */
export interface RecordVersion {
	/** The GET of the path. */
	readonly read: Endpoint;
	/** Fields of the record. Use, such as a sign-in, changes none of them. */
	readonly fields: readonly string[];
}

/** Adds the version to the rows of each path that reads a record and changes it. */
export function withVersions<R extends Route>(routes: readonly R[]): R[] {
	const paths = Map.groupBy(routes, ({ path }) => path);
	return routes.map((route) => {
		const version = versionAmong(paths.get(route.path) ?? []);
		return version === undefined || !isVersioned(route) ? route : { ...route, version };
	});
}

/** Not those that end the session of the caller: they ask for the password first, outside of a transaction. */
function isVersioned({ method, endpoint: { session, body } }: Route): boolean {
	const isChange = body !== undefined || method === "DELETE";
	return session === undefined && (method === "GET" || isChange);
}

function versionAmong(rows: readonly Route[]): RecordVersion | undefined {
	const read = rows.find(({ method }) => method === "GET")?.endpoint;
	const changes = rows.filter(({ method }) => method === "PATCH" || method === "PUT");
	const changed = new Set(changes.flatMap(({ endpoint: { body } }) => Object.keys(body?.properties ?? {})));
	if (read === undefined || changed.size === 0) return undefined;
	const shown = Object.keys(recordOf(read));
	const fields = shown.filter((name) => changed.has(name));
	// A secret that changes is not shown.
	const hasUnshown = fields.length < changed.size && shown.includes("updated_at");
	return { read, fields: hasUnshown ? [...fields, "updated_at"] : fields };
}

function recordOf({ response: { schema } }: Endpoint): Readonly<Record<string, Schema<unknown>>> {
	const data = schema?.type === "object" ? schema.properties.data : undefined;
	return data?.type === "object" ? data.properties : {};
}

/** @param body of a response with the record. @returns a strong entity tag */
export function entityTag({ fields }: RecordVersion, body: unknown): string {
	const { data } = body as { readonly data: Readonly<Record<string, unknown>> };
	const text = JSON.stringify(fields.map((name) => data[name] ?? null));
	return `"${hash("sha256", text, "base64url").slice(0, 22)}"`;
}
