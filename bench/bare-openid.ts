// The baseline for the OpenID provider: the oidc-provider library alone, with its in-memory adapter.

import { createHash, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Grant } from "oidc-provider";

/** The first message of the parent; the reply is a `BareOpenId`. */
export interface BareOpenIdTask {
	/** Sign-ins to the application, each with an access token and a refresh token. */
	readonly signIns: number;
}

/** Each later message; the reply is a `BareCodes`. */
export interface BareCodesTask {
	readonly codes: number;
}

export interface BareOpenId {
	readonly port: number;
	readonly clientId: string;
	readonly clientSecret: string;
	readonly refreshTokens: readonly string[];
	readonly accessTokens: readonly string[];
}

/** The fields that exchange each code for tokens. */
export interface BareCodes {
	readonly fields: readonly Readonly<Record<string, string>>[];
}

interface Stored {
	save(): Promise<string>;
}
type Model = new (fields: object) => Stored;
/** The parts of the provider that `src/adapters/oidc/` does not use. */
interface WholeProvider {
	callback(): RequestListener;
	readonly Client: { find(id: string): Promise<unknown> };
	readonly AccessToken: Model;
	readonly AuthorizationCode: Model;
	readonly RefreshToken: Model;
}

const CLIENT = { client_id: randomUUID(), client_secret: randomUUID() };
const ISSUER = "http://127.0.0.1";
const CALLBACK = "https://shop.example/callback";

/** As the adapter in memory of the library, which forgets all but 1,000 records. */
class Records {
	static readonly #all = new Map<string, Record<string, unknown>>();
	readonly #kind: string;

	constructor(kind: string) {
		this.#kind = kind;
	}

	async upsert(id: string, payload: Record<string, unknown>): Promise<void> {
		Records.#all.set(this.#kind + id, payload);
	}

	async find(id: string): Promise<Record<string, unknown> | undefined> {
		return Records.#all.get(this.#kind + id);
	}

	async consume(id: string): Promise<void> {
		Object.assign(Records.#all.get(this.#kind + id) ?? {}, { consumed: Math.floor(Date.now() / 1_000) });
	}

	async destroy(id: string): Promise<void> {
		Records.#all.delete(this.#kind + id);
	}
}

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const provider = new Provider(ISSUER, {
	adapter: Records,
	clients: [
		{
			...CLIENT,
			grant_types: ["authorization_code", "refresh_token"],
			redirect_uris: [CALLBACK],
			id_token_signed_response_alg: "ES256",
		},
	],
	jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "bare", alg: "ES256", use: "sig" }] },
	features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
	issueRefreshToken: () => true,
	rotateRefreshToken: () => true,
	findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
});
const whole = provider as unknown as WholeProvider;
const { AccessToken, AuthorizationCode, Client, RefreshToken } = whole;
const server = http.createServer(whole.callback());

process.on("message", async (task: BareOpenIdTask | BareCodesTask) => {
	if ("codes" in task) {
		const fields = await Promise.all(Array.from({ length: task.codes }, issueCode));
		process.send?.({ fields } satisfies BareCodes);
		return;
	}
	const tokens = await Promise.all(
		Array.from({ length: task.signIns }, async () => {
			const granted = await signIn();
			return {
				refreshToken: await new RefreshToken({ ...granted, gty: "authorization_code" }).save(),
				accessToken: await new AccessToken({ ...granted, gty: "authorization_code" }).save(),
			};
		}),
	);
	server.listen(0, "127.0.0.1", 1024, () => {
		const { port } = server.address() as AddressInfo;
		process.send?.({
			port,
			clientId: CLIENT.client_id,
			clientSecret: CLIENT.client_secret,
			refreshTokens: tokens.map(({ refreshToken }) => refreshToken),
			accessTokens: tokens.map(({ accessToken }) => accessToken),
		} satisfies BareOpenId);
	});
});
process.on("disconnect", () => process.exit(0));

/** What the tokens of a new grant have in common. */
async function signIn(): Promise<object> {
	const accountId = randomUUID();
	const grant: Grant = new provider.Grant({ accountId, clientId: CLIENT.client_id });
	grant.addOIDCScope("openid");
	return {
		accountId,
		client: await Client.find(CLIENT.client_id),
		grantId: await grant.save(),
		scope: "openid",
		authTime: Math.floor(Date.now() / 1_000),
	};
}

async function issueCode(): Promise<BareCodes["fields"][number]> {
	const verifier = randomBytes(32).toString("base64url");
	const code = new AuthorizationCode({
		...(await signIn()),
		redirectUri: CALLBACK,
		codeChallenge: createHash("sha256").update(verifier).digest("base64url"),
		codeChallengeMethod: "S256",
	});
	return {
		grant_type: "authorization_code",
		code: await code.save(),
		redirect_uri: CALLBACK,
		code_verifier: verifier,
	};
}
