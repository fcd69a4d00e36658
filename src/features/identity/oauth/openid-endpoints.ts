// Endpoints of the OpenID provider: which parts of a request reach it, and its responses.

import { type ProviderRequest, RESUME_COOKIE } from "../../../domain/openid-provider.ts";
import type { Session } from "../../../domain/session.ts";
import { SESSION_COOKIE } from "../../../http/browser-session.ts";
import type { Incoming } from "../../../http/incoming.ts";
import type { Mount, MountResponse } from "../../../http/mount.ts";
import { cookieValue } from "../../../http/read-browser-session.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { findBrowserSession } from "./browser-session.ts";

type Needed = Needs<"sessions", "clock" | "keys" | "openId">;
type Method = Mount["method"];

/** Headers that the provider reads. */
const READ = [
	"accept",
	"authorization",
	"content-type",
	"dpop",
	"origin",
	"access-control-request-method",
	"access-control-request-headers",
];

export function openIdMount(needs: Needed) {
	const make =
		(transport: Mount["transport"], { browser = false, countsByClient = false }) =>
		(method: Method, path: string): Mount => ({
			method,
			path,
			transport,
			browser,
			countsByClient,
			respond: (request, countClient) => respond(needs, request, browser, countClient),
		});
	return {
		public: make("any", {}),
		/** Browsers navigate here with the session of the user. */
		browser: make("confidential", { browser: true }),
		program: make("confidential", {}),
		/** Called by clients, which authenticate. */
		client: make("confidential", { countsByClient: true }),
	};
}

/** @throws AppError `route.not_found` while no tenant has a client; `request.malformed`; `request.too_many`. */
async function respond(
	needs: Needed,
	request: Incoming,
	isBrowser: boolean,
	countClient: ProviderRequest["countClient"],
): Promise<MountResponse> {
	if (!(await needs.openId.isUsed())) throw new AppError("route.not_found", "no such resource");
	const response = await needs.openId.respond({
		...(await requestFor(needs, request, isBrowser)),
		countClient,
	});
	if (response.clientId !== undefined) request.clientId = response.clientId;
	return response;
}

async function requestFor(
	needs: Needed,
	request: Incoming,
	isBrowser: boolean,
): Promise<Omit<ProviderRequest, "countClient">> {
	const { method, path, queryText, rawBody: body } = request;
	const session = isBrowser ? await sessionOf(needs, request) : undefined;
	if (session !== undefined) {
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

async function sessionOf(needs: Needed, request: Incoming): Promise<Session | undefined> {
	const token = cookieValue(request, SESSION_COOKIE);
	return token === undefined ? undefined : await findBrowserSession(needs, token);
}

/**
 * If several proofs are sent, none is valid (RFC 9449, section 4.3): joined, the provider refuses them with its own
 * error.
 *
 * @throws AppError `request.malformed` for another repeated header: Node would keep the first, or join them.
 */
function headersOf(request: Incoming): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const name of READ) {
		const values = request.headerValues(name);
		const value = name === "dpop" && values.length > 1 ? values.join(", ") : values[0];
		if (values.length > 1 && name !== "dpop")
			throw new AppError("request.malformed", `header ${name} must be sent once`);
		if (value !== undefined) headers[name] = value;
	}
	return headers;
}
