// The rule that open APIs are called over TLS only (specification, "Signed requests", rule 1).

import { AppError } from "../kernel/error.ts";
import type { Incoming } from "./incoming.ts";

/** Where OpenID AuthZEN 1.0 has its default addresses. */
const AUTHZEN_PREFIX = "/access/v1/";
const OPEN_API_PREFIXES = ["/api/v1/external/", AUTHZEN_PREFIX];

/** Whether every path there is an open API, known or not. */
export function isOpenApi(target: string): boolean {
	return OPEN_API_PREFIXES.some((prefix) => target.startsWith(prefix));
}

/** AuthZEN 1.0, section 10.1.3: there the caller names the request, and the answer must carry the same id. */
export function isNamedByCaller(target: string): boolean {
	return target.startsWith(AUTHZEN_PREFIX);
}

/** @throws AppError `transport.https_required` (426): no redirect, the signature would be on its way in clear already. */
export function requireHttps(request: Pick<Incoming, "scheme">): void {
	if (request.scheme === "https") return;
	throw new AppError("transport.https_required", "open APIs require HTTPS", {
		headers: { upgrade: "TLS/1.2, HTTP/1.1", connection: "Upgrade" },
	});
}
