// oidc-provider with its in-memory adapter: the UserInfo endpoint with an access token.

import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import Provider from "oidc-provider";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const client = {
	client_id: "shop",
	client_secret: "a secret of the bench",
	redirect_uris: ["https://shop.example/callback"],
	id_token_signed_response_alg: "ES256",
};
const provider = new Provider("http://127.0.0.1", {
	clients: [client],
	jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "bench", alg: "ES256", use: "sig" }] },
	claims: { openid: ["sub"], email: ["email"], profile: ["name"] },
	features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
	findAccount: (_context, accountId) => ({
		accountId,
		claims: () => ({ sub: accountId, email: "ada@people.example", name: "Ada" }),
	}),
});
const server = http.createServer(provider.callback());
await once(server.listen(0, "127.0.0.1"), "listening");

const accountId = "ada";
const grant = new provider.Grant({ accountId, clientId: client.client_id });
grant.addOIDCScope("openid email profile");
const token = await new provider.AccessToken({
	accountId,
	client: await provider.Client.find(client.client_id),
	grantId: await grant.save(),
	gty: "authorization_code",
	scope: "openid email profile",
}).save();
process.send({ port: server.address().port, path: "/me", headers: { Authorization: `Bearer ${token}` } });
process.on("disconnect", () => process.exit(0));
