// Token exchange (RFC 8693), compared with client credentials of the same client: what it costs to act for a person.

import type { Bench, Scenario } from "./measure.ts";
import { SIGN_INS, sendFor } from "./openid.ts";
import { codeOf, ISSUER, send, signInToService, tokensFor } from "./openid-client.ts";
import { type Compared, compare } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

const ORDERS = "https://orders.example/api";
const BILLING = "https://billing.example/api";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

export const EXCHANGE_SCENARIOS: readonly Scenario[] = [
	{
		name: "exchange",
		title: "POST /oauth/token, token exchange",
		comparedWith: "client credentials of the same client",
		goal: undefined,
		processorGoal: 1.1,
		run: exchanges,
	},
];

async function exchanges({ processors, rounds, seconds, newFolder }: Bench): Promise<Compared> {
	const limits = { LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000", LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000" };
	const env = { LATCHKEY_PUBLIC_URL: ISSUER, ...limits };
	const service = await startService(newFolder("exchange"), processors.server, env);
	try {
		const { orders, subjects } = await signInAtShop(service);
		const measured = (fields: (worker: number) => Readonly<Record<string, string>>) => () =>
			sendFor(service.pid, seconds, async (worker) => {
				await tokenFor(service.port, orders, { resource: BILLING, ...fields(worker) });
				return true;
			});
		const exchange = measured((worker) => ({
			grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
			subject_token: subjects[worker] ?? "",
			subject_token_type: ACCESS_TOKEN,
			scope: "invoices:read",
		}));
		const alone = measured(() => ({ grant_type: "client_credentials" }));
		return await compare(rounds, exchange, alone);
	} finally {
		await service.stop();
	}
}

interface Client {
	readonly id: string;
	readonly secret: string;
}

/** A person signs in at Shop, which calls Orders, which may act for her at Billing. */
async function signInAtShop(service: RunningService) {
	const { call, adminToken, port } = service;
	const { cookie, clientId, clientSecret, redirectUri } = await signInToService(service, 1);
	const token = await adminToken();
	const connect = async (name: string, settings: object): Promise<Client> => {
		const body = { name, access_policy: "open" };
		const { id } = (await call("POST", "/api/v1/applications", { token, body })).body.data;
		const client = await call("PUT", `/api/v1/applications/${id}/oauth-client`, {
			token,
			body: { type: "service", ...settings },
		});
		return { id, secret: client.body.data.client_secret };
	};
	const billing = await connect("Billing", { resource: BILLING });
	const orders = await connect("Orders", {
		resource: ORDERS,
		allowed_resources: [BILLING],
		acts_for_people: [BILLING],
	});
	const reader = { name: "reader", permissions: ["invoices:read"] };
	const role = await call("POST", `/api/v1/applications/${billing.id}/roles`, { token, body: reader });
	const { id: person } = (await call("GET", "/api/v1/users?q=ada", { token })).body.data[0];
	const body = { roles: [role.body.data.id] };
	await call("PUT", `/api/v1/applications/${billing.id}/grants/users/${person}`, { token, body });
	await call("PATCH", `/api/v1/applications/${clientId}/oauth-client`, {
		token,
		body: { allowed_resources: [ORDERS] },
	});
	const shop = { port, path: "/oauth/token", clientId, clientSecret, redirectUri };
	const subjects: string[] = [];
	while (subjects.length < SIGN_INS) {
		const code = await codeOf(shop, cookie, { scope: "openid", resource: ORDERS });
		subjects.push((await tokensFor(shop, { ...code, resource: ORDERS })).access_token);
	}
	return { orders, subjects };
}

/** @throws Error if the request is refused. */
async function tokenFor(
	port: number,
	{ id, secret }: Client,
	fields: Readonly<Record<string, string>>,
): Promise<void> {
	const { status, text } = await send(port, "POST", "/oauth/token", {
		headers: {
			authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
			"content-type": "application/x-www-form-urlencoded",
		},
		body: String(new URLSearchParams(fields)),
	});
	if (status !== 200 || !text.includes('"access_token"'))
		throw new Error(`/oauth/token returned ${status}: ${text}`);
}
