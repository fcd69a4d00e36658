// Normalizes request targets, and creates the errors for targets that match no route.

import { AppError, ERROR_KINDS } from "../../kernel/error.ts";
import { findNearestName } from "../../kernel/nearest-name.ts";
import type { Route } from "../describe/guard.ts";
import type { Incoming } from "./incoming.ts";
import type { Transport } from "./transport.ts";

/** Converts an absolute-form target (RFC 9112, section 3.2.2). */
export function originForm(url: string): string {
	if (url.startsWith("/")) return url;
	const authority = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
	const path = authority === undefined ? "" : url.slice(authority.length);
	return path.startsWith("/") ? path : "/*";
}

/** Escapes a path that cannot be decoded, so that it is looked up as literal characters and matches nothing. */
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

export interface KnownPaths {
	readonly routes: readonly Route[];
	readonly mounts: readonly { readonly method: string; readonly path: string }[];
	readonly pages: readonly { readonly path: string; readonly mayBeAbsent?: true }[];
}

/**
 * Returns the error for a path or method without a route: `route.not_found`, or `route.method_not_allowed` with `Allow`.
 */
export function createNotHere(known: KnownPaths): (request: Pick<Incoming, "method" | "path">) => AppError {
	const nearest = createNearestSigned(known.routes);
	return (request) => notHere(request, known, nearest);
}

function notHere(
	{ method, path }: Pick<Incoming, "method" | "path">,
	{ routes, mounts, pages }: KnownPaths,
	nearest: (path: string) => string | undefined,
): AppError {
	const mounted = mounts.filter((mount) => matches(mount.path, path)).map((mount) => mount.method);
	const allowed = [...methodsOf(path, routes), ...mounted];
	if (pages.some((page) => page.mayBeAbsent !== true && matches(page.path, path))) allowed.push("GET");
	if (allowed.length > 0) return methodNotAllowed(method, allowed);
	const meant = nearest(path);
	const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
	return new AppError("route.not_found", `no such resource${hint}`);
}

/** Longer paths are not compared: the comparison takes time in proportion to the length. */
const COMPARED_MAX = 200;

/**
 * Finds the path that a mistyped path below the folders of signed routes was probably meant to be. Only these: their
 * callers are programmers with a guide, and the paths are public.
 */
export function createNearestSigned(routes: readonly Route[]): (path: string) => string | undefined {
	const isSigned = ({ guard }: Route): boolean => guard.security === "signed";
	const folders = foldersOf(routes, isSigned)
		.sort((one, other) => one.length - other.length)
		.map((folder) => ({
			folder,
			paths: [...new Set(routes.filter(isSigned).map(({ path }) => path))].filter((path) =>
				path.startsWith(folder),
			),
		}));
	return (path) => {
		const { folder, paths } = folders.find((one) => path.startsWith(one.folder)) ?? { folder: "", paths: [] };
		if (path.length > COMPARED_MAX) return undefined;
		const spellings = new Map(paths.map((template) => [filled(template, path), template]));
		const found = findNearestName(path, [...spellings.keys()], folder.length);
		return found === undefined ? undefined : spellings.get(found);
	};
}

/** The template with the segments of the path for its `{…}`, or without them if the path is shorter or longer. */
function filled(template: string, path: string): string {
	const [expected, actual] = [template.split("/"), path.split("/")];
	const isAlike = expected.length === actual.length;
	return expected
		.map((part, index) => (part.startsWith("{") ? (isAlike ? actual[index] : "") : part))
		.join("/");
}

/**
 * The folders (`/a/b/`) that directly contain a selected route and, at any depth, no other. A rule of these routes also
 * covers unknown paths below such a folder.
 */
export function foldersOf(routes: readonly Route[], isSelected: (route: Route) => boolean): string[] {
	const folders = routes.filter(isSelected).map(({ path }) => path.slice(0, path.lastIndexOf("/") + 1));
	return [...new Set(folders)].filter((folder) =>
		routes.every((route) => isSelected(route) || !route.path.startsWith(folder)),
	);
}

/** A fixed path that a parameter route would match under a method that the fixed path lacks. */
interface ShadowedPath {
	readonly path: string;
	readonly method: Route["method"];
	readonly transport: Transport;
	/** The methods of the path. */
	readonly allowed: readonly string[];
}

/**
 * All such paths. Example: `GET /users/check-access` would match `GET /users/{id}`. A fixed path names one resource, so
 * its other methods return 405 and never reach a parameter route.
 */
export function shadowedPaths(routes: readonly Route[]): ShadowedPath[] {
	const fixed = new Map(
		routes.filter(({ path }) => !path.includes("{")).map(({ path, guard }) => [path, guard.transport]),
	);
	const templates = routes
		.filter(({ path }) => path.includes("{"))
		.map(({ path, method }) => ({ method, segments: path.split("/") }));
	return [...fixed].flatMap(([path, transport]) => {
		const ownMethods = new Set(routes.filter((route) => route.path === path).map(({ method }) => method));
		const segments = path.split("/");
		const shadowing = templates.filter(
			(template) => !ownMethods.has(template.method) && segmentsMatch(template.segments, segments),
		);
		const allowed = methodsOf(path, routes);
		return [...new Set(shadowing.map(({ method }) => method))].map((method) => ({
			path,
			method,
			transport,
			allowed,
		}));
	});
}

/** A 405 with `Allow`: RFC 9110, section 15.5.6. */
export function methodNotAllowed(method: string, allowed: readonly string[]): AppError {
	const allow = new Set(allowed.includes("GET") ? [...allowed, "HEAD"] : allowed);
	return new AppError("route.method_not_allowed", `method ${method} is not allowed here`, {
		headers: { allow: [...allow].sort().join(", ") },
	});
}

/** The methods of a path: of the routes with exactly this path, otherwise of every route that matches. */
function methodsOf(path: string, routes: readonly Route[]): string[] {
	const served = routes.filter((route) => !refusesAll(route));
	const exact = served.filter((route) => route.path === path);
	return (exact.length > 0 ? exact : served.filter((route) => matches(route.path, path))).map(
		(route) => route.method,
	);
}

/** Whether the guard of a route always returns 405; its method is then not listed in `Allow`. */
function refusesAll({ guard }: Route): boolean {
	return guard.errors.some((code) => ERROR_KINDS[code] === "method_not_allowed");
}

function matches(template: string, path: string): boolean {
	return segmentsMatch(template.split("/"), path.split("/"));
}

function segmentsMatch(expected: readonly string[], actual: readonly string[]): boolean {
	return (
		expected.length === actual.length &&
		expected.every((part, index) => part.startsWith("{") || part === actual[index])
	);
}
