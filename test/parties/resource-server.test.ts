// Apache with mod_oauth2 as the API of an application: which access tokens it accepts.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { clientCredentialsGrant, getDPoPHandle, refreshTokenGrant } from "openid-client";
import { APPLICATIONS, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { makeProofKey, proofOf, userinfoClaims } from "../harness/openid/dpop-proof.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import {
	CALLBACK,
	type ConnectedClient,
	obtainTokens,
	relyingParty,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { apacheSkippedWithout, startApache } from "../harness/proxies/apache.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const ORDERS = "https://orders.example/api";
const STOCK = "https://stock.example/api";
/** The module has no setting for a certificate authority. It caches nothing, so revoked tokens are refused immediately. */
const UNCACHED = "introspect.ssl_verify=false&expiry=0&introspect.auth=client_secret_basic";
/** A refresh token is active, too, for its client. */
const IS_ACCESS_TOKEN = "Require oauth2_claim token_type:Bearer";
const DPOP_HEADER = 'OAuth2AcceptTokenIn header "name=Authorization&type=DPoP"';

describe("Apache with mod_oauth2", { skip: apacheSkippedWithout("mod_oauth2"), timeout: 120_000 }, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let program: Server;
	let orders: ConnectedClient;
	let worker: ConnectedClient;
	before(async () => {
		fronted = closing.use(await startFrontedService());
		program = createServer((request, response) => {
			response.end(`called by ${request.headers.oauth2_claim_sub}`);
		}).listen(0, "127.0.0.1");
		closing.defer(() => void program.close());
		orders = await connect({ type: "service", resource: ORDERS });
		await connect({ type: "service", resource: STOCK });
		worker = await connect({ type: "service", allowed_resources: [ORDERS, STOCK] });
	});
	after(() => closing.disposeAsync());

	async function connect(settings: Readonly<Record<string, unknown>>): Promise<ConnectedClient> {
		const fields = { access_policy: "open", redirect_uris: [CALLBACK] };
		const { id } = await addApplication(fronted.service, fields);
		const { client_secret: secret = "" } = await putOAuthClient(fronted.service, settings, id);
		return { id, secret };
	}
	const partyOf = (client: ConnectedClient) =>
		relyingParty(fronted.service, client, undefined, {}, fronted.publicUrl);
	const workerToken = async (resource: string, client = worker): Promise<string> =>
		(await clientCredentialsGrant(await partyOf(client), { resource })).access_token;
	async function signedIn(client: ConnectedClient) {
		const person = await addPerson(fronted.service, `person-${++round}`);
		const browser = new TestBrowser(fronted.service, fronted.publicUrl);
		const token = await browser.signIn(person.username, person.password);
		return { person, browser, token, tokens: await obtainTokens(await partyOf(client), browser, token) };
	}
	let round = 0;

	/** Starts an API that verifies tokens with the directives `verify`. */
	async function startApi(verify: string, require: string, more = "") {
		const [port = 0] = await freePorts(1);
		const { port: programPort } = program.address() as AddressInfo;
		const url = `http://127.0.0.1:${port}/`;
		const settings = `OAuth2TokenVerify ${verify}
<Location "/">
	AuthType oauth2
	${require}
	${more}
</Location>
ProxyPass "/" "http://127.0.0.1:${programPort}/"`;
		const apache = await startApache({ port, modules: ["oauth2"], settings });
		return {
			url,
			async answerTo(token?: string, proof?: string): Promise<{ status: number; text: string }> {
				const scheme = proof === undefined ? "Bearer" : "DPoP";
				const headers = {
					...(token === undefined ? {} : { authorization: `${scheme} ${token}` }),
					...(proof === undefined ? {} : { dpop: proof }),
				};
				const answer = await fetch(url, { headers });
				return { status: answer.status, text: await answer.text() };
			},
			[Symbol.asyncDispose]: () => apache[Symbol.asyncDispose](),
		};
	}
	const introspect = ({ id, secret }: ConnectedClient, more = "") =>
		`introspect "${fronted.publicUrl}/oauth/introspect" "${UNCACHED}&client_id=${id}&client_secret=${secret}${more}"`;

	test("accepts the access token of a user by introspection until the sign-out", async () => {
		const shop = await connect({ type: "web", first_party: true });
		const other = await connect({ type: "web", first_party: true });
		await using api = await startApi(introspect(shop), IS_ACCESS_TOKEN);
		const { person, browser, token, tokens } = await signedIn(shop);
		assert.deepEqual(await api.answerTo(tokens.access_token), {
			status: 200,
			text: `called by ${person.id}`,
		});
		const theirs = await obtainTokens(await partyOf(other), browser, token);
		const refused = [theirs.access_token, tokens.id_token, tokens.refresh_token, token, "unknown", undefined];
		for (const text of refused) assert.equal((await api.answerTo(text)).status, 401, String(text));
		await browser.post("/api/v1/auth/logout", undefined, token);
		assert.equal((await api.answerTo(tokens.access_token)).status, 401);
	});

	test("accepts the token of a user for its own resource by introspection until the sign-out", async () => {
		const shop = await connect({ type: "web", first_party: true, allowed_resources: [ORDERS, STOCK] });
		const role = await addRole(fronted.service, orders.id, "clerk", ["orders:read"]);
		await using api = await startApi(introspect(orders), "Require oauth2_claim permissions:orders:read");
		/** Two sign-ins in one session of the user. */
		const tokenFor = async (resource: string, { browser, token }: Awaited<ReturnType<typeof signedIn>>) => {
			const party = await partyOf(shop);
			const scope = "openid roles";
			const { refresh_token = "" } = await obtainTokens(party, browser, token, { resource, scope });
			return (await refreshTokenGrant(party, refresh_token, { resource })).access_token;
		};
		const clerk = await signedIn(shop);
		await putGrant(fronted.service, orders.id, clerk.person.id, [role.id]);
		const token = await tokenFor(ORDERS, clerk);
		assert.deepEqual(await api.answerTo(token), { status: 200, text: `called by ${clerk.person.id}` });
		assert.equal((await api.answerTo(await tokenFor(STOCK, clerk))).status, 401);
		assert.equal((await api.answerTo(await tokenFor(ORDERS, await signedIn(shop)))).status, 401);
		await clerk.browser.post("/api/v1/auth/logout", undefined, clerk.token);
		assert.equal((await api.answerTo(token)).status, 401);
	});

	test("accepts a bound token only with a proof of its key", async () => {
		await using api = await startApi(introspect(orders, "&type=dpop"), "Require valid-user", DPOP_HEADER);
		const [key, other] = [await makeProofKey(), await makeProofKey()];
		const party = await partyOf(worker);
		const DPoP = getDPoPHandle(party, key);
		const { access_token } = await clientCredentialsGrant(party, { resource: ORDERS }, { DPoP });
		const proofBy = (used: typeof key) =>
			proofOf(used, "", { claims: { ...userinfoClaims(access_token), htu: api.url } });
		const proof = await proofBy(key);
		assert.deepEqual(await api.answerTo(access_token, proof), {
			status: 200,
			text: `called by ${worker.id}`,
		});
		for (const wrong of [proof, await proofBy(other), undefined])
			assert.equal((await api.answerTo(access_token, wrong)).status, 401, String(wrong));
	});

	test("accepts tokens of services for its own resource by introspection until the service is disabled", async () => {
		await using api = await startApi(introspect(orders), IS_ACCESS_TOKEN);
		const { id, secret } = await connect({ type: "service", allowed_resources: [ORDERS] });
		const token = await workerToken(ORDERS, { id, secret });
		assert.deepEqual(await api.answerTo(token), { status: 200, text: `called by ${id}` });
		assert.equal((await api.answerTo(await workerToken(STOCK))).status, 401);
		const disabled = await fronted.service.call("PATCH", `${APPLICATIONS}/${id}`, {
			token: await fronted.service.adminToken(),
			body: { status: "disabled" },
		});
		assert.equal(disabled.status, 200);
		assert.equal((await api.answerTo(token)).status, 401);
	});

	test("accepts them by the published keys, and none for another audience", async () => {
		const { publicUrl } = fronted;
		await using api = await startApi(
			`jwks_uri "${publicUrl}/.well-known/jwks.json" "jwks_uri.ssl_verify=false&verify.exp=required"`,
			`<RequireAll>\nRequire oauth2_claim iss:${publicUrl}\nRequire oauth2_claim aud:${ORDERS}\n</RequireAll>`,
		);
		assert.deepEqual(await api.answerTo(await workerToken(ORDERS)), {
			status: 200,
			text: `called by ${worker.id}`,
		});
		const { tokens, token } = await signedIn(await connect({ type: "web", first_party: true }));
		const refused = [await workerToken(STOCK), tokens.id_token, tokens.access_token, token, undefined];
		for (const text of refused) assert.equal((await api.answerTo(text)).status, 401, String(text));
	});
});
