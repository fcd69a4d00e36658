// What the request line names: brought to a form that can be looked up, or nothing that is here.

import { AppError } from "../kernel/error.ts";
import type { Route } from "./guard.ts";

/** RFC 9112, section 3.2.2: an absolute-form target names the same resource; the raw text stays in `originalUrl`. */
export function originForm(url: string): string {
	if (url.startsWith("/")) return url;
	const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
	return path?.startsWith("/") ? path : "/*";
}

/** A path that cannot be decoded is taken as the characters it is made of: an id that is none, or nothing's name. */
export function decodable(url: string): string {
	if (!url.includes("%")) return url;
	const end = url.search(/[?#]/);
	const path = end === -1 ? url : url.slice(0, end);
	try {
		decodeURI(path);
		return url;
	} catch {
		return path.replaceAll("%", "%25") + url.slice(path.length);
	}
}

/** Nothing has this name, or not for this method: then with the methods it has (`route.not_found`, `route.method_not_allowed`). */
export function notHere(
	{ method, raw }: { readonly method: string; readonly raw: { readonly url?: string | undefined } },
	{ routes, pages }: { readonly routes: readonly Route[]; readonly pages: ReadonlyMap<string, unknown> },
): AppError {
	const path = (raw.url ?? "/").split("?", 1)[0] as string;
	const allowed = routes.filter((route) => matches(route.path, path)).map((route) => route.method as string);
	if (pages.has(path) || path === "/openapi.json") allowed.push("GET");
	if (allowed.length === 0) return new AppError("route.not_found", "no such resource");
	if (allowed.includes("GET")) allowed.push("HEAD");
	return new AppError("route.method_not_allowed", `method ${method} is not allowed here`, {
		headers: { allow: [...new Set(allowed)].sort().join(", ") },
	});
}

function matches(template: string, path: string): boolean {
	const expected = template.split("/");
	const actual = path.split("/");
	return (
		expected.length === actual.length &&
		expected.every((part, index) => part.startsWith("{") || part === actual[index])
	);
}
