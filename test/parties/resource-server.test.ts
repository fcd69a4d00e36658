// Apache with mod_oauth2 as the API of an application: which access tokens it takes.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { clientCredentialsGrant } from "openid-client";
import { apacheSkippedWithout, startApache } from "../harness/apache.ts";
import { APPLICATIONS, addApplication } from "../harness/applications.ts";
import { putOAuthClient } from "../harness/oauth-clients.ts";
import {
	CALLBACK,
	type ConnectedClient,
	obtainTokens,
	relyingParty,
	TestBrowser,
} from "../harness/openid.ts";
import { addPerson } from "../harness/people.ts";
import { freePorts } from "../harness/program.ts";
import { type FrontedService, startFrontedService } from "../harness/public-front.ts";

const ORDERS = "https://orders.example/api";
const STOCK = "https://stock.example/api";
/** The module has no setting for an authority of one's own. It keeps no answer, so that an ended token is refused at once. */
const UNCACHED = "introspect.ssl_verify=false&expiry=0&introspect.auth=client_secret_basic";
/** A refresh token is active, too, for the client that got it. */
const IS_ACCESS_TOKEN = "Require oauth2_claim token_type:Bearer";

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

	/** An API that lets tokens pass as `verify` says. */
	async function startApi(verify: string, require: string) {
		const [port = 0] = await freePorts(1);
		const { port: programPort } = program.address() as AddressInfo;
		const settings = `OAuth2TokenVerify ${verify}
<Location "/">
	AuthType oauth2
	${require}
</Location>
ProxyPass "/" "http://127.0.0.1:${programPort}/"`;
		const apache = await startApache({ port, modules: ["oauth2"], settings });
		return {
			async answerTo(token?: string): Promise<{ status: number; text: string }> {
				const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
				const answer = await fetch(`http://127.0.0.1:${port}/`, { headers });
				return { status: answer.status, text: await answer.text() };
			},
			[Symbol.asyncDispose]: () => apache[Symbol.asyncDispose](),
		};
	}
	const introspect = ({ id, secret }: ConnectedClient) =>
		`introspect "${fronted.publicUrl}/oauth/introspect" "${UNCACHED}&client_id=${id}&client_secret=${secret}"`;

	test("takes the access token of a person by introspection, until they sign out", async () => {
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

	test("takes tokens of services for its own resource by introspection, until the service is disabled", async () => {
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

	test("takes them by the published keys, and none for another audience", async () => {
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
