// The process of the OpenID provider in oidc-provider.ts; it reads its settings from standard input.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair } from "jose";
import type { ProviderSettings } from "./oidc-provider.ts";

// biome-ignore lint/suspicious/noExplicitAny: the library comes without types
type Untyped = any;
const { default: Provider } = (await import("oidc-provider" as string)) as Untyped;

const PATH = "/sign-in/";
const lines = createInterface({ input: process.stdin });
// The parent process exited.
lines.on("close", () => process.exit());
lines.once("line", (line) => void start(JSON.parse(line)));

async function start(settings: ProviderSettings): Promise<void> {
	const server = createServer({ cert: settings.cert, key: settings.key });
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const issuer = `https://${settings.host}:${(server.address() as AddressInfo).port}`;
	const provider = await makeProvider(issuer, settings);
	const answer = provider.callback();
	server.on("request", (request, response) => {
		if (request.url?.startsWith(PATH)) void signIn(provider, settings, request, response);
		else answer(request, response);
	});
	console.log(JSON.stringify({ issuer }));
}

async function makeProvider(
	issuer: string,
	{ clients, users, redirectsTo }: ProviderSettings,
): Promise<Untyped> {
	const { privateKey } = await generateKeyPair("RS256", { extractable: true });
	const provider = new Provider(issuer, {
		clients,
		jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "one" }] },
		cookies: { keys: ["only for tests"] },
		features: { devInteractions: { enabled: false } },
		interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => PATH + uid },
		claims: {
			openid: ["sub"],
			email: ["email", "email_verified"],
			profile: ["name", "preferred_username", "picture", "nickname"],
		},
		ttl: {
			AccessToken: 600,
			AuthorizationCode: 60,
			Grant: 600,
			IdToken: 600,
			Interaction: 600,
			Session: 600,
		},
		findAccount: (_ctx: unknown, accountId: string) => {
			const user = users.find(({ sub }) => sub === accountId);
			return user && { accountId, claims: () => user };
		},
		// No consent page.
		loadExistingGrant: async ({ oidc }: Untyped) => {
			const grant = new oidc.provider.Grant({
				clientId: oidc.client.clientId,
				accountId: oidc.session.accountId,
			});
			grant.addOIDCScope(oidc.params.scope);
			await grant.save();
			return grant;
		},
	});
	if (redirectsTo !== undefined)
		provider.Client.prototype.redirectUriAllowed = (uri: string) => uri.startsWith(redirectsTo);
	return provider;
}

/** GET: the sign-in page. POST: `sub` signs in, `deny` cancels. */
async function signIn(
	provider: Untyped,
	{ users }: ProviderSettings,
	request: Untyped,
	response: Untyped,
): Promise<void> {
	try {
		await provider.interactionDetails(request, response);
		if (request.method === "GET") {
			response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE);
			return;
		}
		const form = new URLSearchParams(await text(request));
		const user = users.find(({ sub }) => sub === form.get("sub"));
		const result =
			user === undefined || form.has("deny")
				? { error: "access_denied", error_description: "the person said no" }
				: { login: { accountId: user.sub } };
		await provider.interactionFinished(request, response, result);
	} catch (error) {
		response.writeHead(400, { "content-type": "text/plain" }).end(String(error));
	}
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Sign in</title>
<form method="post"><label>Subject <input name="sub"></label>
<button type="submit">Sign in</button><button type="submit" name="deny" value="1">Deny</button></form>`;
