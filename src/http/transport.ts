// The rule that open APIs are called over TLS only (specification, "Signed requests", rule 1).

import { AppError } from "../kernel/error.ts";
import type { Incoming } from "./incoming.ts";

const OPEN_API_PREFIXES = ["/api/v1/external/", "/access/v1/"];

/** Whether every path there is an open API, known or not. */
export function isOpenApi(target: string): boolean {
	return OPEN_API_PREFIXES.some((prefix) => target.startsWith(prefix));
}

/** @throws AppError `transport.https_required` (426): no redirect, the signature would be on its way in clear already. */
export function requireHttps(request: Pick<Incoming, "scheme">): void {
	if (request.scheme === "https") return;
	throw new AppError("transport.https_required", "open APIs require HTTPS", {
		headers: { upgrade: "TLS/1.2, HTTP/1.1", connection: "Upgrade" },
	});
}
