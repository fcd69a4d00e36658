// The baseline for the token endpoint: the oidc-provider library alone, with its in-memory adapter.

import { generateKeyPairSync, randomUUID } from "node:crypto";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Grant } from "oidc-provider";

/** Message of the parent; the reply is a `BareOpenId`. */
export interface BareOpenIdTask {
	/** Sign-ins to the application, each with a refresh token. */
	readonly signIns: number;
}

export interface BareOpenId {
	readonly port: number;
	readonly clientId: string;
	readonly clientSecret: string;
	readonly refreshTokens: readonly string[];
}

interface Stored {
	save(): Promise<string>;
}
/** The parts of the provider that `src/adapters/oidc/` does not use. */
interface WholeProvider {
	callback(): RequestListener;
	readonly Client: { find(id: string): Promise<unknown> };
	readonly RefreshToken: new (fields: object) => Stored;
}

const CLIENT = { client_id: randomUUID(), client_secret: randomUUID() };
const ISSUER = "http://127.0.0.1";

process.once("message", async ({ signIns }: BareOpenIdTask) => {
	const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const jwk = { ...privateKey.export({ format: "jwk" }), kid: "bare", alg: "ES256", use: "sig" };
	const provider = new Provider(ISSUER, {
		clients: [
			{
				...CLIENT,
				grant_types: ["authorization_code", "refresh_token"],
				redirect_uris: ["https://shop.example/callback"],
				id_token_signed_response_alg: "ES256",
			},
		],
		jwks: { keys: [jwk] },
		features: { devInteractions: { enabled: false } },
		rotateRefreshToken: () => true,
		findAccount: (_context: unknown, accountId: string) => ({
			accountId,
			claims: () => ({ sub: accountId }),
		}),
	});
	const whole = provider as unknown as WholeProvider;
	const server = http.createServer(whole.callback());
	const refreshTokens = await Promise.all(Array.from({ length: signIns }, () => signIn(provider, whole)));
	server.listen(0, "127.0.0.1", 1024, () => {
		const { port } = server.address() as AddressInfo;
		process.send?.({
			port,
			clientId: CLIENT.client_id,
			clientSecret: CLIENT.client_secret,
			refreshTokens,
		} satisfies BareOpenId);
	});
});
process.on("disconnect", () => process.exit(0));

async function signIn(provider: Provider, { Client, RefreshToken }: WholeProvider): Promise<string> {
	const accountId = randomUUID();
	const grant: Grant = new provider.Grant({ accountId, clientId: CLIENT.client_id });
	grant.addOIDCScope("openid");
	return await new RefreshToken({
		accountId,
		client: await Client.find(CLIENT.client_id),
		grantId: await grant.save(),
		gty: "authorization_code",
		scope: "openid",
		authTime: Math.floor(Date.now() / 1_000),
	}).save();
}
