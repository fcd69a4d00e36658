// Divides the OpenAPI document into the documents that are served, each for one kind of reader.

import type { Route } from "./guard.ts";
import type { Json } from "./json-schema.ts";
import { type ApiDocument, type OpenApi, openApiDocument, type Service } from "./openapi.ts";

/**
 * The served documents, by path: each route is in exactly one, with the schemas that it needs. A part with the same name
 * is the same in all of them, so that readers can merge them.
 *
 * @throws Error if a route is in no document or in several.
 */
export function openApiDocuments(service: Service): ReadonlyMap<string, object> {
	const { documents } = service.about;
	for (const route of service.routes) {
		const count = documents.filter((document) => document.contains(route)).length;
		if (count !== 1) throw new Error(`OpenAPI: ${route.method} ${route.path} is in ${count} documents`);
	}
	const whole = openApiDocument(service);
	return new Map(
		documents.map((document) => [document.path, selected(whole, document, service.routes)] as const),
	);
}

function selected(whole: OpenApi, document: ApiDocument, routes: readonly Route[]): object {
	const others = new Set(
		routes.filter((route) => !document.contains(route)).map(({ endpoint }) => endpoint.name),
	);
	const routed = new Set(routes.map(({ endpoint }) => endpoint.name));
	const has = ({ operationId }: Json): boolean =>
		routed.has(String(operationId)) ? !others.has(String(operationId)) : document.hasMounts;
	const paths = Object.entries(whole.paths).flatMap(([path, methods]) => {
		const kept = Object.entries(methods).filter(([, operation]) => has(operation as Json));
		return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
	});
	const tags = new Set(
		paths.flatMap(([, methods]) => Object.values(methods).flatMap((each) => (each as Json).tags)),
	);
	const body = {
		paths: Object.fromEntries(paths),
		...(document.hasWebhooks && { webhooks: whole.webhooks }),
	};
	return {
		...whole,
		info: {
			...whole.info,
			title: `${whole.info.title}: ${document.title}`,
			description: `${whole.info.description} ${document.description}`,
		},
		tags: whole.tags.filter(({ name }) => tags.has(name)),
		webhooks: undefined,
		...body,
		components: componentsOf(whole, body),
	};
}

const REFERENCES = /\x22#.components.[^\x22]+\x22/g;

/** The parts that `content` references, directly or through other parts, in the order of the whole document. */
export function componentsOf({ components }: OpenApi, content: object): Json {
	const used = new Set<string>(
		Object.keys(components.securitySchemes ?? {}).map((name) => `securitySchemes/${name}`),
	);
	const visit = (part: unknown): void => {
		for (const reference of JSON.stringify(part).match(REFERENCES) ?? []) {
			const [, , kind = "", name = ""] = reference.slice(1, -1).split("/");
			if (used.has(`${kind}/${name}`)) continue;
			used.add(`${kind}/${name}`);
			visit(components[kind]?.[name]);
		}
	};
	visit(content);
	const kinds = Object.entries(components).map(([kind, parts]) => {
		const kept = Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`));
		return [kind, Object.fromEntries(kept)] as const;
	});
	return Object.fromEntries(kinds.filter(([, parts]) => Object.keys(parts).length > 0));
}
