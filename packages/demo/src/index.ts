// `#demo`: fills a temporary installation with example data, and starts an application that signs in, an API behind a
// gate, and receivers of webhooks on this machine.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createGate } from "../../client/src/gate.ts";
import { sign } from "../../client/src/sign.ts";
import { type Examples, fillWithExamples } from "./example-data.ts";
import { startHooks } from "./hooks.ts";
import { change, type Installation, post, type SettableClock } from "./installation.ts";
import { ordersApi } from "./orders-api.ts";
import { portal } from "./portal.ts";

export { DAY_MS, DAYS, type Examples, fillWithExamples } from "./example-data.ts";
export type { Installation } from "./installation.ts";

/** The running service, empty, whose clock is `DAYS` in the past. */
interface Place {
	/** Its public URL, https on this machine. */
	readonly url: string;
	/** The certificate of `url` and its key, PEM; this process then trusts it. */
	readonly tls: Readonly<Record<"cert" | "key", string>>;
	readonly admin: Readonly<Record<"username" | "password", string>>;
	readonly clock: SettableClock & { now(): number; follow(): void };
}

export interface Demo {
	readonly portalUrl: string;
	/** Of the API behind the gate. */
	readonly apiUrl: string;
	/** May use the application, but not write. */
	readonly reader: Readonly<Record<"username" | "password", string>>;
	close(): void;
}

const RESOURCE = "https://orders.example/api";
const RULES = [
	{ path: "/status", needs: "public" },
	{ path: "/orders/*", methods: ["GET"], needs: "orders:read" },
	{ path: "/orders/*", needs: "orders:write" },
];

/** @param progress called with what comes next @throws Error naming the call that failed */
export async function startDemo(place: Place, progress: (what: string) => void): Promise<Demo> {
	setDefaultCACertificates([...getCACertificates("default"), place.tls.cert]);
	const installation = connect(place);
	const hooks = await startHooks(place.tls);
	const examples = await fillWithExamples(installation, progress);
	place.clock.follow();
	progress("the application and the API");
	await addWebhooks(installation, hooks.url);
	const orders = await addOrders(installation, examples);
	const gate = createGate({ url: place.url, ...orders.gate, report: () => undefined });
	const api = ordersApi(gate, place.tls);
	const apiUrl = await urlOf(api, "https");
	const application = portal({ issuer: place.url, resource: RESOURCE, apiUrl, ...orders.client });
	const portalUrl = await urlOf(application, "http");
	const redirect_uris = [`${portalUrl}/signed-in`];
	await change(installation, "PATCH", `/applications/${orders.client.clientId}`, { redirect_uris });
	const reader = examples.people[3];
	if (reader === undefined) throw new Error("the example data has no person");
	return {
		portalUrl,
		apiUrl,
		reader: { username: reader.username, password: reader.password },
		close() {
			for (const server of [application, api, hooks.server]) {
				server.closeAllConnections();
				server.close();
			}
		},
	};
}

function connect({ url, admin, clock }: Place): Installation {
	let token: { readonly value: string; readonly untilMs: number } | undefined;
	const installation: Installation = {
		clock,
		async call(method, path, { token: bearer, body } = {}) {
			const response = await fetch(`${url}${path}`, {
				method,
				headers: {
					...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
					...(body !== undefined && { "content-type": "application/json" }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			});
			const text = await response.text();
			return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
		},
		async signed({ tenant_id: tenantId, app_id: appId, api_key: apiKey, secret }, method, path) {
			const credentials = { url, tenantId, appId, apiKey, secret };
			const headers = await sign(credentials, method, path, undefined, { now: clock.now });
			const response = await fetch(`${url}${path}`, { method, headers });
			await response.arrayBuffer();
			return response;
		},
		async adminToken() {
			// The clock may have been moved past the expiry of the last token.
			if (token === undefined || clock.now() > token.untilMs || clock.now() < token.untilMs - 600_000)
				token = {
					value: await installation.tokenOf(admin.username, admin.password),
					untilMs: clock.now() + 600_000,
				};
			return token.value;
		},
		async tokenOf(username, password) {
			const body = { username, password };
			const response = await installation.call<{ data: { access_token: string } }>(
				"POST",
				"/api/v1/auth/login",
				{ body },
			);
			if (response.status !== 200) throw new Error(`the sign-in of ${username} returned ${response.status}`);
			return response.body.data.access_token;
		},
	};
	return installation;
}

async function addWebhooks(installation: Installation, url: string): Promise<void> {
	for (const [path, description] of [
		["/crm", "CRM: receives everything"],
		["/billing", "Billing: its server is broken"],
	] as const)
		await post(installation, "/webhooks", {
			url: `${url}${path}`,
			description,
			event_types: ["user.*", "grant.*"],
		});
}

/** An API behind a gate, and the application whose users call it. */
async function addOrders(installation: Installation, { people }: Examples) {
	const { id: apiId } = await post(installation, "/applications", {
		name: "Orders API",
		description: "Ten lines of code behind a gate",
		access_policy: "assigned",
	});
	for (const [name, permissions] of [
		["reader", ["orders:read"]],
		["writer", ["orders:read", "orders:write"]],
	] as const)
		await post(installation, `/applications/${apiId}/roles`, { name, permissions });
	await change(installation, "PUT", `/applications/${apiId}/oauth-client`, {
		type: "service",
		resource: RESOURCE,
	});
	const { gate_key: gateKey } = await change<{ gate_key: string }>(
		installation,
		"PUT",
		`/applications/${apiId}/gate`,
		{ rules: RULES },
	);
	const { id: clientId } = await post(installation, "/applications", {
		name: "Demo",
		description: "Shows each step of a sign-in",
		access_policy: "open",
		redirect_uris: ["http://localhost:3000/signed-in"],
	});
	const { client_secret: clientSecret } = await change<{ client_secret: string }>(
		installation,
		"PUT",
		`/applications/${clientId}/oauth-client`,
		{ type: "web", allowed_resources: [RESOURCE] },
	);
	const { id: adminId } = await change<{ id: string }>(installation, "GET", "/users/me", undefined);
	const readers = people.slice(1, 8).map(({ id }) => [id, "reader"] as const);
	for (const [id, role] of [[adminId, "writer"] as const, ...readers])
		await change(installation, "PUT", `/applications/${apiId}/grants/users/${id}`, { roles: [role] });
	return { gate: { applicationId: apiId, gateKey }, client: { clientId, clientSecret } };
}

async function urlOf(
	server: ReturnType<typeof portal> | ReturnType<typeof ordersApi>,
	scheme: string,
): Promise<string> {
	await once(server.listen(0, "127.0.0.1"), "listening");
	return `${scheme}://localhost:${(server.address() as AddressInfo).port}`;
}
