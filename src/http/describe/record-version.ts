// Versions of records: what PATCH and PUT change has an ETag on which its changes can depend (RFC 9110, section 13.1.1).

import type { RecordVersion, Route } from "./guard.ts";
import { propertiesOf } from "./schema.ts";

/**
 * Adds the version to the rows of each path that reads a record and changes it.
 *
 * @param digestOf at least 22 characters that a tag may have, equal only for equal texts
 */
export function withVersions<R extends Route>(routes: readonly R[], digestOf: (text: string) => string): R[] {
	const paths = Map.groupBy(routes, ({ path }) => path);
	return routes.map((route) => {
		const fields = fieldsAmong(paths.get(route.path) ?? []);
		if (fields === undefined || !isVersioned(route)) return route;
		return { ...route, version: versionOf(fields, digestOf) };
	});
}

/** Use, such as a sign-in, changes none of these fields. */
function versionOf(fields: readonly string[], digestOf: (text: string) => string): RecordVersion {
	return {
		tagOf(body) {
			const { data } = body as { readonly data: Readonly<Record<string, unknown>> };
			const text = JSON.stringify(fields.map((name) => data[name] ?? null));
			return `"${digestOf(text).slice(0, 22)}"`;
		},
	};
}

/** Not those that end the session of the caller: they ask for the password first, outside of a transaction. */
function isVersioned({ method, endpoint: { session, body } }: Route): boolean {
	const isChange = body !== undefined || method === "DELETE";
	return session === undefined && (method === "GET" || isChange);
}

function fieldsAmong(rows: readonly Route[]): readonly string[] | undefined {
	const read = rows.find(({ method }) => method === "GET")?.endpoint;
	const changes = rows.filter(({ method }) => method === "PATCH" || method === "PUT");
	const changed = new Set(changes.flatMap(({ endpoint: { body } }) => Object.keys(body?.properties ?? {})));
	if (read === undefined || changed.size === 0) return undefined;
	const shown = Object.keys(propertiesOf(propertiesOf(read.response.schema).data));
	const fields = shown.filter((name) => changed.has(name));
	// A secret that changes is not shown.
	const hasUnshown = fields.length < changed.size && shown.includes("updated_at");
	return hasUnshown ? [...fields, "updated_at"] : fields;
}
