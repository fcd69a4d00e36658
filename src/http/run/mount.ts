// Endpoints of another protocol, which read the raw request and write their own responses. Each is mounted at its exact
// method and path.

import { STATUS_CODES } from "node:http";
import type { Guard } from "../describe/guard.ts";
import type { DescribedMount } from "../describe/mount-description.ts";
import { countByClient, type LimitOptions } from "./apply-limits.ts";
import { checkEncoding } from "./body.ts";
import { BROWSER_PAGE_HEADERS, browserPage } from "./browser-page.ts";
import { type FormToPost, formPostHeaders, formPostPage } from "./form-post-page.ts";
import type { HttpExchange, ResponseHeaders } from "./http-exchange.ts";
import type { Incoming } from "./incoming.ts";
import type { Router } from "./router.ts";
import type { Transport } from "./transport.ts";

export interface MountResponse {
	readonly status: number;
	/** Lower case. */
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly body: string;
	/** Shown as a page to a browser that navigates here. */
	readonly refusal?:
		| {
				readonly error: string;
				readonly description: string;
				/** Default: the name of the status. */
				readonly title?: string;
				/** Further paragraphs of the page. */
				readonly advice?: readonly string[];
				readonly action?: { readonly label: string; readonly href: string };
		  }
		| undefined;
	/** Shown as a page that the browser posts at once. */
	readonly form?: FormToPost | undefined;
}

/** Which rules apply at a mounted endpoint. */
interface KindRules {
	readonly transport: Transport;
	/** Browsers navigate here. */
	readonly browser?: true;
	/** Requests count by IP address until the client is authenticated, then by client (`countByClient`). */
	readonly countedLater?: true;
	/** No limit applies before `respond`, which counts its requests itself. */
	readonly isUncounted?: true;
	/** Errors have the form of RFC 6749, section 5.2, instead of that of the API. */
	readonly oauth?: true;
	/** The limit of `countClient`; default: that of OAuth clients. */
	readonly counts?: "clients" | "directories";
	/** In bytes, if a body may have more than others. */
	readonly bodyLimit?: number;
}

const KINDS = {
	document: { transport: "any", oauth: true },
	api: { transport: "confidential", oauth: true },
	/** Clients authenticate here. */
	client: { transport: "confidential", oauth: true, countedLater: true },
	browser: { transport: "confidential", oauth: true, browser: true },
	/** A directory (SCIM) sends groups with thousands of members. */
	directory: { transport: "confidential", countedLater: true, counts: "directories", bodyLimit: 1_048_576 },
	/** A proxy asks here, with the requests of many callers. */
	gate: { transport: "peer", isUncounted: true },
	/** Where the proxy passes on the requests of a browser to its own host. */
	gateBrowser: { transport: "peer", isUncounted: true, browser: true },
	/** Where the browser leaves the host of the application to sign in. */
	gateEntry: { transport: "confidential", browser: true },
} as const satisfies Readonly<Record<string, KindRules>>;

export interface Mount extends MountedEndpoint, DescribedMount {
	/** `*`: every method. */
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "*";
	/** Path parameters are written `{id}`; a path that ends with `/*` includes every path below it. */
	readonly path: string;
}

/** What responds, without its place in the map. */
export interface MountedEndpoint {
	readonly kind: keyof typeof KINDS;
	/** A proxy sends the headers of a request whose body it keeps. */
	readonly ignoresBody?: true;
	/** Admits a request before its body is read. */
	readonly guard?: Guard<unknown>;
	/**
	 * @param countClient throws `request.too_many` if the client has reached its limit.
	 * @param caller whom the guard admitted
	 */
	respond(
		request: Incoming,
		countClient: (clientId: string) => Promise<void>,
		caller: unknown,
	): Promise<MountResponse>;
}

const HEADERS = {
	"cache-control": "no-store",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

interface MountOptions extends LimitOptions {
	readonly mounts: readonly Mount[];
}

export function addMounts(router: Router, options: MountOptions): void {
	for (const mount of options.mounts) {
		const { method, path, kind } = mount;
		const resource = {
			...KINDS[kind],
			...(mount.guard !== undefined && { guard: mount.guard }),
			template: path,
			respond: (exchange: HttpExchange) => respondMounted(mount, exchange, options),
		};
		router.add(method, path, resource, true);
	}
}

async function respondMounted(mount: Mount, exchange: HttpExchange, options: MountOptions): Promise<void> {
	const { accept, requestId } = exchange.incoming;
	if (mount.ignoresBody !== true) checkEncoding(exchange.incoming);
	const { counts = "clients", browser }: KindRules = KINDS[mount.kind];
	const countClient = (clientId: string) => countByClient(exchange, clientId, counts, options);
	const response = await mount.respond(exchange.incoming, countClient, exchange.caller);
	const { status, body, form, refusal } = response;
	const send = (headers: ResponseHeaders, content: string | undefined): void =>
		exchange.send(status, { ...HEADERS, ...response.headers, ...headers }, content);
	if (form !== undefined) send(formPostHeaders(form), formPostPage(form));
	else if (refusal === undefined) send({}, body === "" ? undefined : body);
	else if (browser === true && accept.includes("text/html"))
		send(BROWSER_PAGE_HEADERS, errorPage(response, requestId));
	else send(JSON_HEADERS, oauthRefusal(refusal.error, refusal.description));
}

/** RFC 6749, section 5.2. */
export function oauthRefusal(error: string, description: string): string {
	return JSON.stringify({ error, error_description: description });
}

function errorPage({ status, refusal }: MountResponse, requestId: string): string {
	const { title, description = "", advice = [], action } = refusal ?? {};
	// The name of a parameter stays as it is.
	const isName = /^[a-z]+_/.test(description);
	return browserPage({
		title: title ?? STATUS_CODES[status] ?? "Error",
		paragraphs: [
			status < 500 ? "The application sent an invalid request." : "The sign-in failed.",
			`${isName ? description : capital(description)} (${refusal?.error}).`,
			...advice,
		],
		...(action && { action }),
		note: `Request ${requestId}`,
	});
}

function capital(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
