// Finds the resource of a method and path.

import { METHODS } from "node:http";
import findMyWay, { type HTTPMethod } from "find-my-way";
import { REFUSED, type Resource } from "./resource.ts";
import type { Addressed } from "./resource-rules.ts";

export type Found = Addressed & { readonly resource: Resource };

const NOWHERE: Found = { resource: REFUSED, params: {}, query: {} };

export class Router {
	// Longer than any target within the header limit, so that the library's own limit refuses nothing.
	readonly #router = findMyWay({ maxParamLength: 65_536 });

	/**
	 * Path parameters are written `{id}`; a path that ends with `/*` includes every path below it. A GET also responds to
	 * HEAD, unless `isExact`. @param method `*`: every method.
	 */
	add(method: string, path: string, resource: Resource, isExact = false): void {
		const methods = method === "*" ? METHODS : method === "GET" && !isExact ? ["GET", "HEAD"] : [method];
		const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
		this.#router.on(methods as HTTPMethod[], pattern, () => undefined, resource);
	}

	/** @param url in origin form, with a path that can be decoded. */
	find(method: string, url: string): Found {
		const found = this.#router.find(method as HTTPMethod, url);
		if (found === null) return NOWHERE;
		return { resource: found.store, params: found.params, query: found.searchParams as Found["query"] };
	}
}
