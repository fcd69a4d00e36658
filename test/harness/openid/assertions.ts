// Ada is a user of a company, whose assertions carry her to an API of this service.

import { SignJWT } from "jose";
import { addRole, putGrant } from "../access/applications.ts";
import { addPerson } from "../people/people.ts";
import { IDENTITY_PROVIDERS } from "../providers/identity-providers.ts";
import type { TestService } from "../service/service.ts";
import { RECEIVER_NETWORK } from "../webhooks/webhook-receiver.ts";
import type { ClientKey } from "./client-assertion.ts";
import { basicAuth, type ConnectedClient, connect, ISSUER, postForm } from "./openid.ts";
import { issuerBody, type Platform, startPlatform } from "./workloads.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
export const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
export const INVOICES = "https://invoices.example/api";
/** A service with these reads the keys of the company. */
export const REACHES_COMPANY = {
	LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
	LATCHKEY_PROVIDER_ALLOWED_NETWORKS: RECEIVER_NETWORK,
};

export interface AssertionChanges {
	readonly claims?: Readonly<Record<string, unknown>>;
	readonly header?: Readonly<Record<string, unknown>>;
	readonly key?: ClientKey;
}

/** An access token of Ada for `by`, as the company asserts it; each has its own `jti`. */
export function assertionFrom(
	service: TestService,
	{ issuer, key }: Pick<Platform, "issuer" | "key">,
	by: ConnectedClient,
	{ claims, header, key: signer = key }: AssertionChanges = {},
): Promise<string> {
	const now = Math.floor(service.clock.now() / 1_000);
	const all = {
		iss: issuer,
		sub: "ada@company",
		aud: ISSUER,
		client_id: by.id,
		jti: crypto.randomUUID(),
		iat: now,
		exp: now + 300,
		resource: INVOICES,
		scope: "invoices:read",
		...claims,
	};
	const own = { alg: signer.alg, kid: String(signer.publicJwk.kid), typ: "oauth-id-jag+jwt", ...header };
	// Removes members that are undefined.
	const [payload, protectedHeader] = JSON.parse(JSON.stringify([all, own]));
	return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(signer.privateKey);
}

export function sendToken(
	service: Pick<TestService, "call">,
	client: ConnectedClient,
	fields: Readonly<Record<string, string | undefined>>,
) {
	return postForm(service, "/oauth/token", fields, { authorization: basicAuth(client) });
}

/** The company, its issuer here, Ada with a role at the API, and the agent that she uses. */
export async function addAssertingCompany(service: TestService, fields: object = {}) {
	const company = await startPlatform("ES256");
	const issuer = await service.asAdmin(
		"POST",
		IDENTITY_PROVIDERS,
		issuerBody(company.issuer, { uses: ["assertions"], ...fields }),
	);
	const ada = await addPerson(service, "ada");
	await linkAccount(service, ada.id, issuer.provider, "ada@company");
	const invoices = await connect(service, { resource: INVOICES }, { name: "Invoices" });
	const reader = (await addRole(service, invoices.id, "reader", ["invoices:read"])).id;
	await addRole(service, invoices.id, "writer", ["invoices:write"]);
	await putGrant(service, invoices.id, ada.id, [reader]);
	const agent = await connect(service, { allowedResources: [INVOICES] }, { name: "Agent" });
	const assertion = (changes?: AssertionChanges) => assertionFrom(service, company, agent, changes);
	const redeem = (assertion: string | undefined, more: Record<string, string> = {}, by = agent) =>
		sendToken(service, by, { grant_type: JWT_BEARER, assertion, ...more });
	return { company, issuer, ada, invoices, reader, agent, assertion, redeem };
}

export async function linkAccount(
	service: TestService,
	userId: string,
	provider: string,
	providerUserId: string,
): Promise<void> {
	const account = { provider, provider_user_id: providerUserId };
	await service.asAdmin("POST", `/api/v1/users/${userId}/third-party-accounts`, account);
}
