// Platforms that issue tokens to workloads, for tests: their keys over HTTPS, and tokens as they issue them.

import { type JWTPayload, SignJWT } from "jose";
import { IDENTITY_PROVIDERS } from "../providers/identity-providers.ts";
import type { TestService } from "../service/service.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../webhooks/webhook-receiver.ts";
import { type ClientKey, makeClientKey } from "./client-assertion.ts";
import { ISSUER } from "./openid.ts";

/** A platform whose discovery document and keys are on a real HTTPS server. */
export interface Platform {
	readonly issuer: string;
	readonly server: WebhookReceiver;
	readonly key: ClientKey;
	/** Publishes these keys from now on. */
	publish(...keys: readonly unknown[]): void;
	/** How often its keys were read. */
	reads(): number;
}

/** @param path of its issuer, for a suite that starts many: the port of a closed server can be that of a later one. */
export async function startPlatform(alg = "RS256", path = ""): Promise<Platform> {
	const server = await startWebhookReceiver();
	const key = await makeClientKey(alg);
	const issuer = `${server.url}${path}`;
	const keysPath = `${path}/keys`;
	let published: readonly unknown[] = [key.publicJwk];
	server.response((response, asked) => {
		const document = { issuer, jwks_uri: `${issuer}/keys` };
		response.end(JSON.stringify(asked.path === keysPath ? { keys: published } : document));
	});
	return {
		issuer,
		server,
		key,
		publish(...keys) {
			published = keys;
		},
		reads: () => server.received.filter((asked) => asked.path === keysPath).length,
	};
}

let created = 0;

/** An issuer that is trusted for workloads only. */
export function issuerBody(issuer: string, fields: Readonly<Record<string, unknown>> = {}) {
	const slug = `issuer-${++created}`;
	return {
		provider: slug,
		kind: "oidc",
		display_name: slug,
		uses: ["workloads"],
		issuer,
		force: true,
		...fields,
	};
}

export async function addIssuer(
	service: TestService,
	issuer: string,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
	return (await service.asAdmin("POST", IDENTITY_PROVIDERS, issuerBody(issuer, fields))).id;
}

export interface TokenChanges {
	readonly claims?: JWTPayload;
	readonly header?: { readonly alg?: string; readonly kid?: string; readonly typ?: string };
	readonly key?: ClientKey;
}

/** A token of the platform for `sub`, valid for 10 minutes, with changes. */
export function platformToken(
	service: TestService,
	{ issuer, key }: Pick<Platform, "issuer" | "key">,
	sub: string,
	changes: TokenChanges = {},
): Promise<string> {
	const signer = changes.key ?? key;
	const now = Math.floor(service.clock.now() / 1_000);
	const claims = { iss: issuer, sub, aud: ISSUER, iat: now, exp: now + 600, ...changes.claims };
	const header = { alg: signer.alg, kid: String(signer.publicJwk.kid), ...changes.header };
	return new SignJWT(JSON.parse(JSON.stringify(claims))).setProtectedHeader(header).sign(signer.privateKey);
}
