// Endpoints of another protocol, which read the raw request and write their own responses. Each is mounted at its exact
// method and path.

import { STATUS_CODES } from "node:http";
import type { FastifyInstance } from "fastify";
import { countByClient, type LimitOptions } from "./apply-limits.ts";
import { BROWSER_PAGE_HEADERS, browserPage } from "./browser-page.ts";
import { type FormToPost, formPostHeaders, formPostPage } from "./form-post-page.ts";
import type { Incoming } from "./incoming.ts";
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
				/** Further paragraphs of the page. */
				readonly advice?: readonly string[];
		  }
		| undefined;
	/** Shown as a page that the browser posts at once. */
	readonly form?: FormToPost | undefined;
}

export interface Mount {
	readonly method: "GET" | "POST" | "OPTIONS";
	/** Path parameters are written `{id}`. */
	readonly path: string;
	readonly transport: Transport;
	/** Browsers navigate here. */
	readonly browser: boolean;
	/** Requests count by IP address until the client is authenticated, then by client (`countByClient`). */
	readonly countsByClient: boolean;
	/** @param countClient throws `request.too_many` if the client has reached its limit. */
	respond(request: Incoming, countClient: (clientId: string) => Promise<void>): Promise<MountResponse>;
}

const HEADERS = {
	"cache-control": "no-store",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
	"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

interface MountOptions extends LimitOptions {
	readonly mounts: readonly Mount[];
}

export function addMounts(fastify: FastifyInstance, options: MountOptions): void {
	for (const mount of options.mounts)
		fastify.route({
			method: mount.method,
			url: mount.path.replaceAll(/\{(\w+)\}/g, ":$1"),
			exposeHeadRoute: false,
			config: {
				template: mount.path,
				transport: mount.transport,
				browser: mount.browser,
				oauth: true,
				countedLater: mount.countsByClient,
			},
			handler: async (request, reply) => {
				const { incoming } = request;
				const response = await mount.respond(incoming, (clientId) =>
					countByClient(request, clientId, options),
				);
				reply.code(response.status).headers({ ...HEADERS, ...withoutFraming(response.headers) });
				if (response.form !== undefined)
					return reply.headers(formPostHeaders(response.form)).send(formPostPage(response.form));
				const isPage = mount.browser && incoming.accept.includes("text/html");
				if (response.refusal === undefined)
					return reply.send(response.body === "" ? undefined : response.body);
				if (isPage) return reply.headers(BROWSER_PAGE_HEADERS).send(errorPage(response, incoming.requestId));
				reply.header("content-type", "application/json; charset=utf-8");
				return reply.send(oauthRefusal(response.refusal.error, response.refusal.description));
			},
		});
}

/** RFC 6749, section 5.2. */
export function oauthRefusal(error: string, description: string): string {
	return JSON.stringify({ error, error_description: description });
}

function withoutFraming(headers: MountResponse["headers"]): Record<string, string | string[]> {
	const kept = Object.entries(headers).filter(([name]) => name !== "content-length");
	return Object.fromEntries(
		kept.map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
	);
}

function errorPage({ status, refusal }: MountResponse, requestId: string): string {
	const description = refusal?.description ?? "";
	return browserPage({
		title: STATUS_CODES[status] ?? "Error",
		paragraphs: [
			status < 500 ? "The application sent an invalid request." : "The sign-in failed.",
			`${description.charAt(0).toUpperCase()}${description.slice(1)} (${refusal?.error}).`,
			...(refusal?.advice ?? []),
		],
		note: `Request ${requestId}`,
	});
}
