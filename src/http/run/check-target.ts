// The checks before guard and body: transport, the `Host` header, path and method.

import { AppError } from "../../kernel/error.ts";
import type { Cidr } from "../../kernel/ip.ts";
import type { Route } from "../describe/guard.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { createNotHere, foldersOf, type KnownPaths, methodNotAllowed } from "./request-target.ts";
import { REFUSED } from "./resource.ts";
import type { ResourceRules } from "./resource-rules.ts";
import { checkTransport } from "./transport.ts";

/**
 * Unknown paths require the transport of their folder.
 *
 * @throws AppError `transport.https_required`, `request.malformed`, `route.method_not_allowed`, `route.not_found`.
 */
export function createTargetCheck(
	options: KnownPaths & { readonly plainHttpNetworks: readonly Cidr[] },
): (exchange: HttpExchange) => void {
	const httpsFolders = foldersOf(options.routes, ({ guard }) => guard.transport === "https");
	const notHere = createNotHere(options);
	return ({ incoming, resource }) => {
		const { transport = isBelow(httpsFolders, incoming.path) ? "https" : "any", allowed } = resource;
		checkTransport(transport, incoming, options.plainHttpNetworks);
		const hosts = incoming.headerValues("host").length;
		// RFC 9112, section 3.2.
		if (hosts > 1 || (hosts === 0 && incoming.isHttp11))
			throw new AppError("request.malformed", "header host must be sent exactly once");
		if (allowed !== undefined) throw methodNotAllowed(incoming.method, allowed);
		if (resource === REFUSED) throw notHere(incoming);
	};
}

/** Whether the caller may choose the request id: on routes that allow it, and for unknown paths in their folders. */
export function namedByCallers(routes: readonly Route[]): (resource: ResourceRules, path: string) => boolean {
	const folders = foldersOf(routes, ({ endpoint }) => endpoint.callerNamesRequest);
	return ({ callerNamesRequest }, path) => callerNamesRequest ?? isBelow(folders, path);
}

function isBelow(folders: readonly string[], path: string): boolean {
	return folders.some((folder) => path.startsWith(folder));
}
