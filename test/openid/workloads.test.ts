import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { APPLICATIONS } from "../harness/access/applications.ts";
import { makeClientKey, sendAssertion } from "../harness/openid/client-assertion.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { ISSUER, startOpenIdService } from "../harness/openid/openid.ts";
import {
	addIssuer,
	issuerBody,
	type Platform,
	platformToken,
	startPlatform,
	type TokenChanges,
} from "../harness/openid/workloads.ts";
import { auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import type { TestService } from "../harness/service/service.ts";
import { RECEIVER_NETWORK } from "../harness/webhooks/webhook-receiver.ts";

const API = "https://billing.example";
const REFUSED = [401, "invalid_client"];
const ACCEPTED = [200, undefined];
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The claims of the platforms. Kubernetes and SPIFFE write a list of one audience. */
const GITHUB = {
	sub: "repo:acme/shop:environment:prod",
	claims: { repository: "acme/shop", ref: "refs/heads/main", environment: "prod", jti: "a", run_id: "1" },
};
const GITLAB = {
	sub: "project_path:acme/shop:ref_type:branch:ref:main",
	claims: { project_path: "acme/shop", ref: "main", ref_protected: "true", jti: "b" },
};
const KUBERNETES = {
	sub: "system:serviceaccount:prod:shop",
	claims: { aud: [ISSUER], "kubernetes.io": { namespace: "prod", serviceaccount: { name: "shop" } }, nbf: 1 },
};
const SPIFFE = { sub: "spiffe://prod.acme.example/ns/shop/sa/worker", claims: { aud: [ISSUER] } };

describe("a client that authenticates with the token of its platform", () => {
	let service: TestService;
	let platform: Platform;
	let issuerId: string;
	before(async () => {
		service = await startOpenIdService({
			metrics: true,
			env: {
				LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
				LATCHKEY_PROVIDER_ALLOWED_NETWORKS: RECEIVER_NETWORK,
			},
		});
		service.clock.standAt(Date.now());
		await putOAuthClient(service, { resource: API });
		platform = await startPlatform();
		issuerId = await addIssuer(service, platform.issuer);
	});
	after(async () => {
		await platform.server.close();
		await service.stop();
	});

	const addWorker = async (...workloads: object[]): Promise<string> => {
		const fields = { type: "service", auth_method: "workload", allowed_resources: [API], workloads };
		const { client_id, client_secret } = await putOAuthClient(service, fields);
		assert.equal(client_secret, undefined);
		return client_id;
	};
	const send = async (clientId: string, token: string, parameters = {}) => {
		const { status, body } = await sendAssertion(service, token, {
			resource: API,
			client_id: clientId,
			...parameters,
		});
		return [status, body.error];
	};
	const tokenOf = (sub: string, changes: TokenChanges = {}, by = platform) =>
		platformToken(service, by, sub, changes);

	it("accepts tokens with the claims of GitHub Actions, GitLab, Kubernetes, and SPIFFE", async () => {
		for (const [{ sub, claims }, subject, wanted, alg] of [
			[GITHUB, "repo:acme/*", { repository: "acme/shop", ref: "refs/heads/main" }, "RS256"],
			[GITLAB, GITLAB.sub, { ref_protected: "true" }, "RS256"],
			[KUBERNETES, "system:serviceaccount:prod:*", {}, "RS256"],
			[SPIFFE, "spiffe://prod.acme.example/ns/shop/*", {}, "ES256"],
		] as const) {
			const own = await startPlatform(alg);
			const issuer = await addIssuer(service, own.issuer, { jwks_uri: `${own.issuer}/keys` });
			const worker = await addWorker({ issuer_id: issuer, subject, claims: wanted });
			assert.deepEqual(await send(worker, await tokenOf(sub, { claims }, own)), ACCEPTED, sub);
			await own.server.close();
		}
	});

	it("serves 100 requests with one token, and one read of keys", async () => {
		const own = await startPlatform();
		const issuer = await addIssuer(service, own.issuer);
		const worker = await addWorker({ issuer_id: issuer, subject: KUBERNETES.sub });
		const token = await tokenOf(KUBERNETES.sub, { claims: { jti: "once" } }, own);
		const answers = await Promise.all(Array.from({ length: 100 }, () => send(worker, token)));
		assert.deepEqual([answers.filter(([status]) => status === 200).length, own.reads()], [100, 1]);
		await own.server.close();
	});

	it("accepts pasted keys of an issuer that cannot be reached, and its own audience", async () => {
		const key = await makeClientKey();
		const body = issuerBody("https://cluster.internal.example", {
			jwks: { keys: [key.publicJwk] },
			audience: "latchkey",
		});
		const added = await service.asAdmin("POST", IDENTITY_PROVIDERS, body);
		assert.equal(added.jwks_set_at, added.created_at);
		assert.deepEqual([added.client_id, added.client_secret_set_at], [null, null]);
		const worker = await addWorker({ issuer_id: added.id, subject: KUBERNETES.sub });
		const by = { ...platform, issuer: String(added.issuer), key };
		const token = (aud: string) => tokenOf(KUBERNETES.sub, { claims: { aud } }, by);
		assert.deepEqual(await send(worker, await token("latchkey")), ACCEPTED);
		assert.deepEqual(await send(worker, await token(ISSUER)), REFUSED);
	});

	it("refuses every other token alike", async () => {
		const { sub, claims } = GITHUB;
		const worker = await addWorker({ issuer_id: issuerId, subject: sub, claims: { ref: claims.ref } });
		const other = await makeClientKey("RS256");
		const now = Math.floor(service.clock.now() / 1_000);
		const good = await tokenOf(sub, { claims });
		assert.deepEqual(await send(worker, good), ACCEPTED);
		const [head = "", body = "", signature = ""] = good.split(".");
		const plain = { iss: platform.issuer, sub, aud: ISSUER, iat: now, exp: now + 60, ...claims };
		const pem = createPublicKey({ key: platform.key.publicJwk, format: "jwk" }).export({
			type: "spki",
			format: "pem",
		});
		const hs = `${base64url({ alg: "HS256", kid: "one" })}.${base64url(plain)}`;
		const changed = (changes: object) => tokenOf(sub, { claims: { ...claims, ...changes } });
		const bad: Readonly<Record<string, string>> = {
			"alg none": `${base64url({ alg: "none" })}.${base64url(plain)}.`,
			"HS256 with the public key": `${hs}.${createHmac("sha256", pem).update(hs).digest("base64url")}`,
			"other key": await tokenOf(sub, { claims, key: other }),
			"unknown kid": await tokenOf(sub, { claims, header: { kid: "two" } }),
			"other audience": await changed({ aud: "https://other.example" }),
			"audience with a slash": await changed({ aud: `${ISSUER}/` }),
			"list of audiences": await changed({ aud: [ISSUER, "https://other.example"] }),
			"empty list of audiences": await changed({ aud: [] }),
			"list in a list": await changed({ aud: [[ISSUER]] }),
			"no audience": await changed({ aud: undefined }),
			expired: await changed({ iat: now - 600, exp: now - 1 }),
			"too long": await changed({ exp: now + 3_601 }),
			"no exp": await changed({ exp: undefined }),
			"no iat": await changed({ iat: undefined }),
			"exp as text": await changed({ exp: String(now + 60) }),
			"not yet valid": await changed({ nbf: now + 300 }),
			"from the future": await changed({ iat: now + 300, exp: now + 600 }),
			"other issuer": await changed({ iss: "https://other.example" }),
			"issuer is the client": await changed({ iss: worker, sub: worker }),
			"other subject": await tokenOf("repo:acme/shop:pull_request", { claims }),
			"longer subject": await tokenOf(`${sub}2`, { claims }),
			"no subject": await changed({ sub: undefined }),
			"other claim": await changed({ ref: "refs/heads/feature" }),
			"no claim": await changed({ ref: undefined }),
			"claim as list": await changed({ ref: [claims.ref] }),
			"changed body": `${head}.${base64url({ ...plain, exp: now + 61 })}.${signature}`,
			"no signature": `${head}.${body}.`,
			garbage: "a.b.c",
			empty: "",
		};
		for (const [why, token] of Object.entries(bad)) assert.deepEqual(await send(worker, token), REFUSED, why);
		assert.deepEqual(
			await send(worker, await changed({ aud: [ISSUER] })),
			ACCEPTED,
			"a list of one, as Kubernetes writes it",
		);
		const wrongType = { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" };
		assert.deepEqual(await send(worker, good, wrongType), REFUSED);
		const events = await auditOf(service, `oauth_client:${worker}`);
		assert.equal(events.filter(({ action }) => action === "oauth_client.workload_refused").length, 1);
		assert.ok(!JSON.stringify([events, service.logs()]).includes(signature));
	});

	it("admits what a star matches, and not the text before it", async () => {
		const worker = await addWorker({ issuer_id: issuerId, subject: "repo:acme/*" });
		assert.deepEqual(await send(worker, await tokenOf("repo:acme/shop:ref:refs/heads/main")), ACCEPTED);
		for (const sub of ["repo:acme/", "repo:acme", "repo:acme-evil/shop", "repo:other/repo:acme/shop"])
			assert.deepEqual(await send(worker, await tokenOf(sub)), REFUSED, sub);
	});

	it("stops at once when its issuer is disabled or a workload is removed", async () => {
		const own = await startPlatform();
		const id = await addIssuer(service, own.issuer);
		const worker = await addWorker(
			{ issuer_id: id, subject: GITLAB.sub },
			{ issuer_id: issuerId, subject: GITLAB.sub },
		);
		const token = await tokenOf(GITLAB.sub, {}, own);
		assert.deepEqual(await send(worker, token), ACCEPTED);
		await service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${id}`, { enabled: false });
		assert.deepEqual(await send(worker, token), REFUSED);
		assert.deepEqual(await send(worker, await tokenOf(GITLAB.sub)), ACCEPTED);
		await service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${id}`, { enabled: true });
		assert.deepEqual(await send(worker, token), ACCEPTED);
		await service.asAdmin("PATCH", `${APPLICATIONS}/${worker}/oauth-client`, {
			workloads: [{ issuer_id: issuerId, subject: GITLAB.sub }],
		});
		assert.deepEqual(await send(worker, token), REFUSED);
		await own.server.close();
	});

	it("does not accept the token of one client's workload for another client", async () => {
		const worker = await addWorker({ issuer_id: issuerId, subject: GITHUB.sub });
		const other = await addWorker({ issuer_id: issuerId, subject: KUBERNETES.sub });
		const token = await tokenOf(GITHUB.sub);
		assert.deepEqual(await send(worker, token), ACCEPTED);
		assert.deepEqual(await send(other, token), REFUSED);
		const { client_id } = await putOAuthClient(service, { type: "service", allowed_resources: [API] });
		assert.notEqual((await send(client_id, token))[0], 200);
	});

	it("reads keys twice at most while unknown key ids storm, and forgets a removed key", async () => {
		const own = await startPlatform();
		const id = await addIssuer(service, own.issuer);
		const worker = await addWorker({ issuer_id: id, subject: GITHUB.sub });
		const storm = await Promise.all(
			Array.from({ length: 40 }, (_, count) => tokenOf(GITHUB.sub, { header: { kid: `k${count}` } }, own)),
		);
		assert.deepEqual(await send(worker, await tokenOf(GITHUB.sub, {}, own)), ACCEPTED);
		for (const token of storm) assert.deepEqual(await send(worker, token), REFUSED);
		assert.ok(own.reads() <= 2, String(own.reads()));
		own.publish((await makeClientKey("RS256", "next")).publicJwk);
		service.clock.advance(10 * 60_000);
		assert.deepEqual(await send(worker, await tokenOf(GITHUB.sub, {}, own)), REFUSED);
		await own.server.close();
	});

	it("keeps the last keys for an hour while the issuer is dead, and costs others nothing", async () => {
		const own = await startPlatform();
		const worker = await addWorker({ issuer_id: await addIssuer(service, own.issuer), subject: GITHUB.sub });
		assert.deepEqual(await send(worker, await tokenOf(GITHUB.sub, {}, own)), ACCEPTED);
		await own.server.close();
		service.clock.advance(11 * 60_000);
		assert.deepEqual(await send(worker, await tokenOf(GITHUB.sub, {}, own)), ACCEPTED);
		service.clock.advance(50 * 60_000);
		assert.deepEqual(await send(worker, await tokenOf(GITHUB.sub, {}, own)), REFUSED);
		const healthy = await addWorker({ issuer_id: issuerId, subject: GITHUB.sub });
		assert.deepEqual(await send(healthy, await tokenOf(GITHUB.sub)), ACCEPTED);
	});

	it("cannot name a foreign issuer, one for sign-in, or a subject that admits strangers", async () => {
		const { adminToken: token } = await addSecondTenant(service);
		const body = issuerBody(platform.issuer);
		const foreign = (await service.call("POST", IDENTITY_PROVIDERS, { token, body })).body.data.id;
		const worker = await addWorker({ issuer_id: issuerId, subject: GITHUB.sub });
		const path = `${APPLICATIONS}/${worker}/oauth-client`;
		for (const workload of [
			{ issuer_id: foreign, subject: GITHUB.sub },
			...[
				"repo:*",
				"spiffe://*",
				"*",
				"repo:acme*",
				"a*b/c/*",
				"repo:acme/**",
				"repo:/*",
				"spiffe://acme/*",
				"://a/*",
			].map((subject) => ({ issuer_id: issuerId, subject })),
			{ issuer_id: issuerId, subject: GITHUB.sub, claims: { aud: "x" } },
		]) {
			const response = await service.callAsAdmin("PATCH", path, { body: { workloads: [workload] } });
			assert.equal(response.status, 400, JSON.stringify(workload));
		}
	});

	it("keeps its issuer from being deleted, moved, or distrusted", async () => {
		const id = await addIssuer(service, "https://moved.example", { jwks_uri: "https://moved.example/keys" });
		const worker = await addWorker({ issuer_id: id, subject: GITHUB.sub });
		const path = `${IDENTITY_PROVIDERS}/${id}`;
		for (const [method, body] of [
			["DELETE", undefined],
			["PATCH", { issuer: "https://elsewhere.example" }],
			["PATCH", { uses: ["sign_in"], client_id: "a", client_secret: "b", jwks_uri: null, force: true }],
		] as const) {
			const response = await service.callAsAdmin(method, path, { ...(body && { body }) });
			assert.equal(response.status, 409);
			assert.match(
				String(response.body.error),
				/^the issuer is in use: it is named by workloads of Application/,
			);
		}
		await service.asAdmin("DELETE", `${APPLICATIONS}/${worker}/oauth-client`);
		assert.equal((await service.callAsAdmin("DELETE", path)).status, 204);
	});

	it("is counted by what is wrong with its token", async () => {
		const worker = await addWorker({ issuer_id: issuerId, subject: GITHUB.sub });
		const count = async (outcome: string) =>
			(await metricsOf(service)).get(`latchkey_workload_authentications_total{outcome="${outcome}"}`) ?? 0;
		const other = await makeClientKey("RS256");
		const long = { iat: 1, exp: Math.floor(service.clock.now() / 1_000) + 60 };
		for (const [outcome, token] of [
			["success", await tokenOf(GITHUB.sub)],
			["malformed", "a.b.c"],
			["type", await tokenOf(GITHUB.sub, { header: { typ: "OAuth-ID-JAG+jwt" } })],
			["issuer", await tokenOf(GITHUB.sub, { claims: { iss: "https://other.example" } })],
			["lifetime", await tokenOf(GITHUB.sub, { claims: long })],
			["algorithm", `${base64url({ alg: "none" })}.${(await tokenOf(GITHUB.sub)).split(".")[1]}.`],
			["subject", await tokenOf(GITLAB.sub)],
			["audience", await tokenOf(GITHUB.sub, { claims: { aud: "https://other.example" } })],
			["key", await tokenOf(GITHUB.sub, { header: { kid: "unknown" } })],
			[
				"signature",
				await tokenOf(GITHUB.sub, { key: other, header: { kid: String(platform.key.publicJwk.kid) } }),
			],
		] as const) {
			const before = await count(outcome);
			await send(worker, token);
			assert.equal(await count(outcome), before + 1, outcome);
		}
	});

	it("has an issuer whose keys can be tested, without a sign-in", async () => {
		const own = await startPlatform();
		const test = async (id: string) => {
			const { data } = (await service.callAsAdmin("POST", `${IDENTITY_PROVIDERS}/${id}/test`)).body;
			assert.equal(data.authorization_url, null);
			const { step, outcome, message } = data.last_test ?? {};
			return [step, outcome, message];
		};
		const discovered = await addIssuer(service, own.issuer);
		assert.deepEqual(await test(discovered), ["keys", "passed", ""]);
		own.publish({ kty: "oct", k: "AA" });
		const noKey = ["keys", "misconfigured", "the key set has no usable public key"];
		assert.deepEqual(await test(discovered), noKey);
		own.publish(own.key.publicJwk);
		const named = `${own.issuer}/other`;
		assert.deepEqual(await test(await addIssuer(service, named)), [
			"keys",
			"misconfigured",
			"the discovery document names another issuer",
		]);
		const direct = await addIssuer(service, named, { jwks_uri: `${own.issuer}/keys` });
		assert.deepEqual(await test(direct), ["keys", "passed", ""]);
		own.server.response((response) => void response.writeHead(500).end());
		const failed = ["keys", "unreachable", "returned status 500"];
		assert.deepEqual(await test(direct), failed);
		own.server.response((response) => response.end("<html>"));
		const html = ["keys", "misconfigured", "the issuer returned something other than JSON"];
		assert.deepEqual(await test(direct), html);
		await own.server.close();
		assert.deepEqual((await test(direct)).slice(0, 2), ["keys", "unreachable"]);
		const pasted = await addIssuer(service, "https://cluster.internal.example", {
			jwks: { keys: [own.key.publicJwk] },
		});
		assert.deepEqual(await test(pasted), ["keys", "passed", ""]);
	});

	it("is not offered for sign-in", async () => {
		const { data } = (await service.call("GET", "/api/v1/auth/methods")).body;
		assert.ok(!JSON.stringify(data).includes("issuer-"));
	});
});
