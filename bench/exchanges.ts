// What it costs to act for a person: token exchange (RFC 8693) and assertions (RFC 7523), compared with client credentials.

import { exportJWK, generateKeyPair, SignJWT } from "jose";
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
		run: (bench) => againstCredentials(bench, exchanges),
	},
	{
		name: "exchange",
		title: "POST /oauth/token, assertion of another service",
		comparedWith: "client credentials of another client",
		goal: undefined,
		processorGoal: 2,
		run: (bench) => againstCredentials(bench, redemptions),
	},
];

interface Client {
	readonly id: string;
	readonly secret: string;
}

/** The client that sends a request, and its fields besides `resource`. */
type Sent = readonly [Client, Readonly<Record<string, string>>];
type Cast = Awaited<ReturnType<typeof signInAtShop>>;
type Prepare = (service: RunningService, cast: Cast) => Promise<(worker: number) => Sent | Promise<Sent>>;

async function againstCredentials(
	{ processors, rounds, seconds, newFolder }: Bench,
	prepare: Prepare,
): Promise<Compared> {
	const limits = { LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000", LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000" };
	const env = { LATCHKEY_PUBLIC_URL: ISSUER, ...limits };
	const service = await startService(newFolder(prepare.name), processors.server, env);
	try {
		const cast = await signInAtShop(service);
		const measured = (sent: (worker: number) => Sent | Promise<Sent>) => () =>
			sendFor(service.pid, seconds, async (worker) => {
				const [client, fields] = await sent(worker);
				await tokenFor(service.port, client, { resource: BILLING, ...fields });
				return true;
			});
		const alone = measured(() => [cast.orders, { grant_type: "client_credentials" }]);
		return await compare(rounds, measured(await prepare(service, cast)), alone);
	} finally {
		await service.stop();
	}
}

const exchanges: Prepare =
	async (_service, { orders, subjects }) =>
	(worker) => {
		const subject = { subject_token: subjects[worker] ?? "", subject_token_type: ACCESS_TOKEN };
		const grant_type = "urn:ietf:params:oauth:grant-type:token-exchange";
		return [orders, { grant_type, ...subject, scope: "invoices:read" }];
	};

/** All for one person, whose session each of them extends. */
const redemptions: Prepare = async ({ call, adminToken }, { connect, person }) => {
	const token = await adminToken();
	const { privateKey, publicKey } = await generateKeyPair("ES256");
	const issuer = "https://company.example";
	const keys = [{ ...(await exportJWK(publicKey)), kid: "company", alg: "ES256" }];
	const provider = { provider: "company", kind: "oidc", display_name: "Company" };
	const trusted = { ...provider, uses: ["assertions"], issuer, jwks: { keys } };
	await call("POST", "/api/v1/identity-providers", { token, body: trusted });
	const body = { provider: "company", provider_user_id: "ada" };
	await call("POST", `/api/v1/users/${person}/third-party-accounts`, { token, body });
	const agent = await connect("Agent", { type: "web", allowed_resources: [BILLING] });
	const claims = { client_id: agent.id, scope: "invoices:read" };
	return async () => {
		const assertion = await new SignJWT(claims)
			.setProtectedHeader({ alg: "ES256", kid: "company", typ: "oauth-id-jag+jwt" })
			.setIssuer(issuer)
			.setSubject("ada")
			.setAudience(ISSUER)
			.setJti(crypto.randomUUID())
			.setIssuedAt()
			.setExpirationTime("5m")
			.sign(privateKey);
		return [agent, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }];
	};
};

/** A person signs in at Shop, which calls Orders, which may act for her at Billing. */
async function signInAtShop(service: RunningService) {
	const { call, adminToken, port } = service;
	const { cookie, clientId, clientSecret, redirectUri } = await signInToService(service, 1);
	const token = await adminToken();
	const connect = async (name: string, settings: object): Promise<Client> => {
		const body = { name, access_policy: "open", redirect_uris: ["https://app.example/callback"] };
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
	return { orders, subjects, connect, person };
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
