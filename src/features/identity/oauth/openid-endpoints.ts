// Endpoints of the OpenID provider: the parts of a request that are passed to it, and its responses.

import { type ProviderRequest, RESUME_COOKIE } from "../../../domain/openid-provider.ts";
import { SESSION_COOKIE } from "../../../http/run/browser-session.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountedEndpoint, MountResponse } from "../../../http/run/mount.ts";
import { cookieValue } from "../../../http/run/read-browser-session.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";

type Needed = Pick<Platform, "findBrowserSession" | "openId">;

/** Headers that the provider reads. */
const FORWARDED = [
	"accept",
	"authorization",
	"content-type",
	"dpop",
	"origin",
	"access-control-request-method",
	"access-control-request-headers",
];

export function openIdEndpoints(needs: Needed) {
	const endpointOf = (kind: MountedEndpoint["kind"]): MountedEndpoint => ({
		kind,
		respond: (request, countClient) => respond(needs, request, kind, countClient),
	});
	return {
		/** Discovery: served before the first client exists, because operators connect it first. */
		document: endpointOf("document"),
		/** Browsers navigate here with the user's session. */
		browser: endpointOf("browser"),
		api: endpointOf("api"),
		client: endpointOf("client"),
	};
}

/** @throws AppError `route.not_found` while no tenant has an OAuth client; `request.malformed`; `request.too_many`. */
async function respond(
	needs: Needed,
	request: Incoming,
	kind: MountedEndpoint["kind"],
	countClient: ProviderRequest["countClient"],
): Promise<MountResponse> {
	if (kind !== "document" && !(await needs.openId.isUsed()))
		throw new AppError("route.not_found", "no such resource");
	const forwarded = await requestFor(needs, request, kind === "browser");
	const response = await needs.openId.respond({ ...forwarded, countClient });
	if (response.clientId !== undefined) request.clientId = response.clientId;
	return response;
}

async function requestFor(
	needs: Needed,
	request: Incoming,
	isBrowser: boolean,
): Promise<Omit<ProviderRequest, "countClient">> {
	const { method, path, queryText, rawBody: body } = request;
	const refreshToken = isBrowser ? cookieValue(request, SESSION_COOKIE) : undefined;
	const session = refreshToken === undefined ? undefined : await needs.findBrowserSession(refreshToken);
	if (session) {
		request.userId = session.userId;
		request.tenantId = session.tenantId;
	}
	const resume = isBrowser ? cookieValue(request, RESUME_COOKIE) : undefined;
	return {
		method,
		target: `${path}${queryText}`,
		headers: headersOf(request),
		body,
		session,
		resume,
		origin: request,
	};
}

/**
 * Joins repeated `DPoP` headers, so that the provider refuses them with its own error: of several proofs, none is valid
 * (RFC 9449, section 4.3).
 *
 * @throws AppError `request.malformed` for any other repeated header: Node would keep the first, or join them.
 */
function headersOf(request: Incoming): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const name of FORWARDED) {
		// Discovery is for every origin: the response must not depend on it.
		if (name === "origin" && request.path.startsWith("/.well-known/")) continue;
		const values = request.headerValues(name);
		const value = name === "dpop" && values.length > 1 ? values.join(", ") : values[0];
		if (values.length > 1 && name !== "dpop")
			throw new AppError("request.malformed", `header ${name} must be sent once`);
		if (value !== undefined) headers[name] = value;
	}
	return headers;
}
