import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import {
	type ConnectedClient,
	connect,
	ISSUER,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, auditOf, signInToApplication } from "../harness/people/people.ts";
import { addSecondTenant, type SecondTenant } from "../harness/people/second-tenant.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPE = "openid profile email roles";
const COPIES = 20;
const WAITING =
	"SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const ONE_WRITER = TEST_ENGINE === "sqlite" && "SQLite has one writer at a time";

type Shown = Awaited<ReturnType<typeof client.initiateDeviceAuthorization>>;

describe("devices", () => {
	const service = openIdService();
	let tv: ConnectedClient;
	let party: client.Configuration;
	let round = 0;
	before(async () => {
		tv = await connectDevice();
		party = await deviceOf(tv);
	});

	/** A client without a browser and therefore without a redirect URI. */
	const connectDevice = (settings: object = {}, application: object = {}, tenant?: SecondTenant) =>
		connect(
			service,
			{ type: "native", authMethod: "none", ...settings },
			{ name: "TV", redirect_uris: [], ...application },
			tenant,
		);
	const deviceOf = (connected: ConnectedClient) => relyingParty(service, connected, client.None());
	const begin = (by = party, scope = SCOPE): Promise<Shown> =>
		client.initiateDeviceAuthorization(by, { scope });
	const poll = ({ device_code }: Shown, by = party) => client.genericGrantRequest(by, GRANT, { device_code });
	const refused = (error: string) => ({ error });

	async function signedIn() {
		const person = await addPerson(service, `viewer-${++round}`);
		return { person, ...(await signedInBrowser(service, person)) };
	}
	type SignedIn = Awaited<ReturnType<typeof signedIn>>;
	interface Body {
		readonly data: Readonly<Record<string, unknown>>;
		readonly error: string;
	}
	const sendCode = (
		{ browser, token }: Pick<SignedIn, "browser" | "token">,
		verb: string,
		user_code: string,
	) => browser.post<Body>(`/api/v1/auth/device-codes/${verb}`, { user_code }, token);
	async function approve(by: Pick<SignedIn, "browser" | "token">, { user_code }: Shown): Promise<void> {
		const { status, body } = await sendCode(by, "approve", user_code);
		assert.equal(status, 204, JSON.stringify(body));
	}
	/** The responses to concurrent polls: tokens or error codes. */
	const pollAtOnce = (shown: Shown) =>
		Promise.all(
			Array.from({ length: COPIES }, () => poll(shown).catch(({ error }: { error: string }) => error)),
		);
	const eventsOf = async ({ id }: { id: string }, name: string) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === name);

	it("sign in users who approve on another screen", async () => {
		const { person, ...by } = await signedIn();
		const before = service.clock.now();
		const shown = await begin();
		assert.match(shown.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
		assert.equal(shown.verification_uri, `${ISSUER}/oauth/device`);
		assert.equal(shown.verification_uri_complete, `${ISSUER}/oauth/device?user_code=${shown.user_code}`);
		assert.deepEqual([shown.expires_in, shown.interval], [600, 5]);
		const seen = await sendCode(by, "preview", shown.user_code.toLowerCase().replace("-", " "));
		assert.equal(seen.status, 200, JSON.stringify(seen.body));
		assert.equal(seen.headers["cache-control"], "no-store");
		const { requested_from, requested_at, expires_in, ...rest } = seen.body.data;
		assert.match(String(requested_from), /^127\.|^::1$/);
		assert.deepEqual(rest, {
			application: { id: tv.id, name: "TV", homepage_url: "", logo_url: "" },
			first_party: false,
			scopes: SCOPE.split(" "),
			apis: [],
		});
		const atMs = Date.parse(String(requested_at));
		assert.equal(atMs >= before && atMs <= service.clock.now(), true);
		assert.equal(Number(expires_in) > 500 && Number(expires_in) <= 600, true);
		await approve(by, shown);
		const tokens = await client.pollDeviceAuthorizationGrant(party, { ...shown, interval: 1 });
		assert.equal(tokens.claims()?.sub, person.id);
		assert.equal(tokens.claims()?.email, person.email);
		assert.equal(tokens.scope, SCOPE);
		const info = await client.fetchUserInfo(party, tokens.access_token, person.id);
		assert.equal(info.preferred_username, person.username);
		const next = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		assert.equal(next.claims()?.sub, person.id);
		assert.equal(next.claims()?.sid, tokens.claims()?.sid);
		const consents = await service.call("GET", "/api/v1/users/me/consents", { token: by.token });
		assert.deepEqual(consents.body.data.at(0)?.scopes, SCOPE.split(" "));
		const audit = await auditOf(service, `user:${person.id}`);
		const events = audit.filter(({ action }) => action.startsWith("oauth."));
		assert.deepEqual(events.map(({ action }) => action).sort(), ["oauth.consented", "oauth.device_approved"]);
		const approved = events.find(({ action }) => action === "oauth.device_approved");
		assert.equal(approved?.actor, `user:${person.id}`);
		assert.equal(approved?.details?.app_id, tv.id);
		assert.equal(approved?.details?.device_ip, requested_from);
	});

	it("are in the discovery document, and for native clients with device_flow only", async () => {
		const metadata = party.serverMetadata();
		assert.equal(metadata.device_authorization_endpoint, `${ISSUER}/oauth/device-authorization`);
		assert.equal(metadata.grant_types_supported?.includes(GRANT), true);
		const web = await relyingParty(service, await connect(service));
		await assert.rejects(begin(web), refused("unauthorized_client"));
		const quiet = await connectDevice({ deviceFlow: false });
		await assert.rejects(begin(await deviceOf(quiet)), refused("unauthorized_client"));
		const worker = await relyingParty(service, await connect(service, { type: "service" }));
		await assert.rejects(begin(worker), refused("unauthorized_client"));
		const spa = await connect(service, { type: "spa", authMethod: "none" });
		await assert.rejects(begin(await deviceOf(spa)), refused("unauthorized_client"));
		await assert.rejects(
			begin(await deviceOf({ id: crypto.randomUUID(), secret: "" })),
			refused("invalid_client"),
		);
		const { user_code } = await begin(party, "openid orders:read");
		const seen = await sendCode(await signedIn(), "preview", user_code);
		assert.deepEqual(seen.body.data.scopes, ["openid"]);
		const fields = { client_id: tv.id, scope: "openid" };
		const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
		const { body } = await postForm(service, "/oauth/device-authorization", fields, headers);
		assert.equal(body.verification_uri, `${ISSUER}/oauth/device`);
	});

	it("end with device_flow: no code can be allowed or redeemed after it is disabled", async () => {
		const { person, ...by } = await signedIn();
		const box = await connectDevice({ firstParty: true });
		const boxParty = await deviceOf(box);
		const path = `/api/v1/applications/${box.id}/oauth-client`;
		const settings = { type: "native", first_party: true };
		await service.asAdmin("PUT", path, settings);
		const kept = await begin(boxParty);
		await approve(by, kept);
		const tokens = await poll(kept, boxParty);
		const [pending, allowed] = [await begin(boxParty), await begin(boxParty)];
		await approve(by, allowed);
		await service.asAdmin("PUT", path, { ...settings, device_flow: false });
		for (const verb of ["preview", "approve", "deny"])
			assert.equal((await sendCode(by, verb, pending.user_code)).status, 404, verb);
		await assert.rejects(poll(allowed, boxParty), refused("invalid_request"));
		await assert.rejects(begin(boxParty), refused("unauthorized_client"));
		const next = await client.refreshTokenGrant(boxParty, tokens.refresh_token ?? "");
		assert.equal(next.claims()?.sub, person.id);
	});

	it("require consent once, and none for a first-party application", async () => {
		const { person, ...by } = await signedIn();
		const own = await deviceOf(await connectDevice({ firstParty: true }));
		for (const by_ of [party, party, own]) {
			const shown = await begin(by_, "openid");
			await approve(by, shown);
			assert.equal((await poll(shown, by_)).claims()?.sub, person.id);
		}
		assert.equal((await eventsOf(person, "oauth.consented")).length, 1);
		assert.equal((await eventsOf(person, "oauth.device_approved")).length, 3);
	});

	it("wait: pending, polling too fast, and in time again", async () => {
		service.clock.standAt(service.clock.now());
		const shown = await begin();
		await assert.rejects(poll(shown), refused("authorization_pending"));
		await assert.rejects(poll(shown), refused("slow_down"));
		service.clock.advance(3 * SECOND_MS);
		await assert.rejects(poll(shown), refused("slow_down"));
		service.clock.advance(2 * SECOND_MS);
		await assert.rejects(poll(shown), refused("authorization_pending"));
		assert.deepEqual(new Set(await pollAtOnce(shown)), new Set(["slow_down"]));
		await approve(await signedIn(), shown);
		assert.equal((await poll(shown)).token_type, "bearer");
	});

	it("get one pending response: of concurrent polls, only the first is pending", async () => {
		service.clock.standAt(service.clock.now());
		const shown = await begin();
		const errors = await pollAtOnce(shown);
		assert.equal(errors.filter((error) => error === "authorization_pending").length, 1);
		assert.equal(errors.filter((error) => error === "slow_down").length, COPIES - 1);
	});

	it("get tokens once: of 20 concurrent requests, one wins", async () => {
		const { person, ...by } = await signedIn();
		const shown = await begin();
		await approve(by, shown);
		const results = await pollAtOnce(shown);
		const won = results.filter((result) => typeof result !== "string");
		assert.equal(won.length, 1);
		assert.equal(results.filter((result) => result === "invalid_grant").length, COPIES - 1);
		const [tokens] = won;
		if (tokens === undefined || typeof tokens === "string") throw new Error("no request got tokens");
		assert.equal((await client.fetchUserInfo(party, tokens.access_token, person.id)).sub, person.id);
	});

	it("lose their grant when the code is reused later, or by another client, with one audit event", async () => {
		const other = await deviceOf(await connectDevice());
		for (const { seconds, by: thief } of [
			{ seconds: 11, by: party },
			{ seconds: 601, by: party },
			{ seconds: 0, by: other },
			{ seconds: 11, by: other },
		]) {
			const { person, ...by } = await signedIn();
			const shown = await begin();
			await approve(by, shown);
			const tokens = await poll(shown);
			service.clock.advance(seconds * SECOND_MS);
			await assert.rejects(poll(shown, thief), refused("invalid_grant"));
			await assert.rejects(poll(shown), refused("invalid_grant"));
			const refresh = tokens.refresh_token ?? "";
			await assert.rejects(client.refreshTokenGrant(party, refresh), refused("invalid_grant"));
			assert.equal((await eventsOf(person, "oauth.code_reused")).length, 1);
		}
	});

	it("keep their grant when the device repeats its request at once, which is recorded", async () => {
		const { person, ...by } = await signedIn();
		const shown = await begin();
		await approve(by, shown);
		const tokens = await poll(shown);
		service.clock.advance(9 * SECOND_MS);
		await assert.rejects(poll(shown), refused("invalid_grant"));
		await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		assert.equal((await eventsOf(person, "oauth.code_retried")).length, 1);
		assert.equal((await eventsOf(person, "oauth.code_reused")).length, 0);
	});

	it("are approved by one user: of 20 concurrent approvals, one counts, and the others leave no grant", async () => {
		const people = await Promise.all(Array.from({ length: 4 }, signedIn));
		const shown = await begin();
		const responses = await Promise.all(
			people.flatMap((by) => Array.from({ length: 5 }, () => sendCode(by, "approve", shown.user_code))),
		);
		assert.deepEqual(responses.map(({ status }) => status).sort(), [
			204,
			...Array.from({ length: 19 }, () => 404),
		]);
		const ids = people.map(({ person }) => person.id);
		const grants = (await rows<{ user_id: string }>(service, "SELECT user_id FROM oauth_grants")).filter(
			({ user_id }) => ids.includes(user_id),
		);
		assert.equal(grants.length, 1);
		assert.equal((await poll(shown)).claims()?.sub, grants[0]?.user_id);
		// The others count as guesses.
		service.clock.advance(900 * SECOND_MS);
	});

	it("receive a refusal", async () => {
		const { person, ...by } = await signedIn();
		const shown = await begin();
		assert.equal((await sendCode(by, "deny", shown.user_code)).status, 204);
		assert.equal((await sendCode(by, "approve", shown.user_code)).status, 404);
		await assert.rejects(poll(shown), refused("access_denied"));
		await assert.rejects(poll(shown), refused("invalid_grant"));
		assert.deepEqual(await rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", person.id), []);
	});

	it("expire after ten minutes, decided or not", async () => {
		const by = await signedIn();
		const [open, approved] = [await begin(), await begin()];
		await approve(by, approved);
		service.clock.advance(599 * SECOND_MS);
		assert.equal((await sendCode(by, "preview", open.user_code)).status, 200);
		service.clock.advance(SECOND_MS);
		assert.equal((await sendCode(by, "preview", open.user_code)).status, 404);
		for (const verb of ["approve", "deny"])
			assert.equal((await sendCode(by, verb, open.user_code)).status, 404);
		await assert.rejects(poll(open), refused("expired_token"));
		await assert.rejects(poll(approved), refused("expired_token"));
		service.clock.advance(3_600 * SECOND_MS);
		await assert.rejects(poll(open), refused("invalid_grant"));
	});

	it("keep their codes private: one response for wrong, malformed, used, and expired codes and those of another tenant", async () => {
		const by = await signedIn();
		const [used, old] = [await begin(), await begin()];
		await approve(by, used);
		const second = await addSecondTenant(service);
		const theirs = await deviceOf(await connectDevice({}, {}, second));
		const other = await begin(theirs);
		assert.match(other.verification_uri, /\/oauth\/device\?tenant=second-\d+$/);
		assert.match(other.verification_uri_complete ?? "", /\/oauth\/device\?tenant=second-\d+&user_code=/);
		const responses = [];
		for (const code of ["BBBB-BBBB", "x", used.user_code, other.user_code])
			responses.push(await sendCode(by, "preview", code));
		service.clock.advance(600 * SECOND_MS);
		responses.push(await sendCode(by, "preview", old.user_code));
		for (const { status, body } of responses)
			assert.deepEqual([status, body.error], [404, "this code is wrong, was used or has expired"]);
		const fresh = await begin(theirs);
		const next = await signedIn();
		for (const verb of ["approve", "deny"])
			assert.equal((await sendCode(next, verb, fresh.user_code)).status, 404);
		const token = await second.tokenOf(second.admin.username, second.admin.password);
		await approve({ ...by, token }, fresh);
		assert.equal((await poll(fresh, theirs)).claims()?.sub, second.adminId);
	});

	it("cannot be guessed: wrong codes delay the account, and right codes of one's own do not help", async () => {
		const { person, ...by } = await signedIn();
		for (let guess = 0; guess < 4; guess++)
			assert.equal((await sendCode(by, "preview", "BBBB-BBBB")).status, 404);
		const own = await begin();
		assert.equal((await sendCode(by, "preview", own.user_code)).status, 200);
		assert.equal((await sendCode(by, "approve", "BBBB-BBBC")).status, 404);
		const late = await sendCode(by, "deny", "BBBB-BBBD");
		assert.equal(late.status, 429, JSON.stringify(late.body));
		assert.match(late.body.error, /^too many wrong codes, try again in \d+ s$/);
		assert.equal(Number(late.headers["retry-after"]) >= 20, true);
		assert.equal((await sendCode(by, "preview", own.user_code)).status, 429);
		const { browser: again, token } = await signedInBrowser(service, person);
		assert.equal((await sendCode({ browser: again, token }, "preview", own.user_code)).status, 429);
		service.clock.advance(31 * SECOND_MS);
		assert.equal((await sendCode(by, "preview", own.user_code)).status, 200);
		// Any number of wrong codes locks nothing of the account.
		await using engine = await service.openDatabase();
		await engine.queries.run("UPDATE login_failures SET failures = 1000 WHERE subject LIKE 'user_code%'");
		const listed = await service.asAdmin("GET", "/api/v1/users?locked=true");
		assert.deepEqual(listed, []);
		service.clock.advance(900 * SECOND_MS);
	});

	it("cannot be guessed from one address with many accounts", async () => {
		const people = [];
		for (let count = 0; count < 8; count++) people.push(await signedIn());
		const statuses = [];
		for (const by of people)
			for (let guess = 0; guess < 3; guess++)
				statuses.push((await sendCode(by, "preview", "BBBB-BBBB")).status);
		assert.deepEqual(new Set(statuses), new Set([404, 429]));
		assert.equal(statuses.filter((status) => status === 404).length, 20);
		service.clock.advance(900 * SECOND_MS);
	});

	it("cannot be approved with a token of an application, or by a revoked session", async () => {
		const { person, browser } = await signedIn();
		const shown = await begin();
		const token = await signInToApplication(service, person);
		for (const verb of ["preview", "approve", "deny"])
			assert.equal((await sendCode({ browser, token }, verb, shown.user_code)).status, 403, verb);
		const ended = await service.tokenOf(person.username, person.password);
		await service.call("POST", "/api/v1/auth/logout", { token: ended });
		assert.equal((await sendCode({ browser, token: ended }, "approve", shown.user_code)).status, 401);
		await assert.rejects(poll(shown), refused("authorization_pending"));
	});

	it("need access to the application and its second factor", async () => {
		const { person, ...by } = await signedIn();
		const strict = await connectDevice();
		const strictParty = await deviceOf(strict);
		const shown = await begin(strictParty);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { access_policy: "assigned" });
		assert.equal((await sendCode(by, "approve", shown.user_code)).status, 403);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, {
			access_policy: "open",
			require_mfa: true,
		});
		assert.equal((await sendCode(by, "approve", shown.user_code)).status, 403);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { require_mfa: false });
		await approve(by, shown);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { access_policy: "assigned" });
		await assert.rejects(poll(shown, strictParty), refused("invalid_grant"));
		assert.equal((await eventsOf(person, "user.sign_in_failed")).length, 1);
	});

	it("are revoked with the approving session: before the device polls, and after", async () => {
		const first = await signedIn();
		const early = await begin();
		await approve(first, early);
		await first.browser.post("/api/v1/auth/logout", undefined, first.token);
		await assert.rejects(poll(early), refused("invalid_grant"));
		const second = await signedIn();
		const shown = await begin();
		await approve(second, shown);
		const tokens = await poll(shown);
		await second.browser.post("/api/v1/auth/logout", undefined, second.token);
		await assert.rejects(client.fetchUserInfo(party, tokens.access_token, second.person.id));
		await assert.rejects(
			client.refreshTokenGrant(party, tokens.refresh_token ?? ""),
			refused("invalid_grant"),
		);
		const left = await rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", second.person.id);
		assert.deepEqual(left, []);
	});

	it("are revoked with the consent, the application, and the client", async () => {
		const by = await signedIn();
		const withdrawn = await begin();
		await approve(by, withdrawn);
		const consents = await service.call("GET", "/api/v1/users/me/consents", { token: by.token });
		const path = `/api/v1/users/me/consents/${consents.body.data[0]?.id}`;
		assert.equal((await service.call("DELETE", path, { token: by.token })).status, 204);
		await assert.rejects(poll(withdrawn), refused("invalid_grant"));

		const gone = await connectDevice();
		const goneParty = await deviceOf(gone);
		const [waiting, approved] = [await begin(goneParty), await begin(goneParty)];
		await approve(by, approved);
		await service.asAdmin("PATCH", `/api/v1/applications/${gone.id}`, { status: "disabled" });
		await assert.rejects(poll(approved, goneParty), refused("invalid_client"));
		assert.equal((await sendCode(by, "preview", waiting.user_code)).status, 404);
		await service.asAdmin("PATCH", `/api/v1/applications/${gone.id}`, { status: "active" });
		await service.asAdmin("DELETE", `/api/v1/applications/${gone.id}/oauth-client`);
		await assert.rejects(poll(approved, goneParty), refused("invalid_client"));
		const left = await rows(service, "SELECT digest FROM oauth_records WHERE client_id = $1", gone.id);
		assert.deepEqual(left, []);
	});

	it("can be approved while an earlier consent is withdrawn", { skip: ONE_WRITER }, async () => {
		const { person, ...by } = await signedIn();
		await approve(by, await begin());
		const shown = await begin();
		await using beside = await openBeside(service);
		const approved = await beside.engine.transaction(async (queries) => {
			await queries.run("DELETE FROM oauth_consents WHERE user_id = $1", person.id);
			const answered = approve(by, shown);
			for (let waiting = 0; waiting === 0; ) {
				const [found] = await beside.engine.queries.all<{ n: number }>(WAITING);
				waiting = Number(found?.n);
			}
			return { answered };
		});
		await approved.answered;
		assert.equal((await poll(shown)).claims()?.sub, person.id);
		assert.equal((await eventsOf(person, "oauth.consented")).length, 2);
	});

	it("stay consistent under concurrent approvals, refusals, and withdrawals of consent", async () => {
		const by = await signedIn();
		for (let turn = 0; turn < 5; turn += 1) {
			await approve(by, await begin());
			const shown = await begin();
			const consents = await service.call("GET", "/api/v1/users/me/consents", { token: by.token });
			const path = `/api/v1/users/me/consents/${consents.body.data.at(0)?.id}`;
			const [approved, withdrawn] = await Promise.all([
				sendCode(by, "approve", shown.user_code),
				service.call("DELETE", path, { token: by.token }),
			]);
			assert.deepEqual([approved.status, withdrawn.status], [204, 204], JSON.stringify(approved.body));
		}
	});

	it("serve only the requesting client", async () => {
		const by = await signedIn();
		const other = await deviceOf(await connectDevice());
		const shown = await begin();
		await assert.rejects(poll(shown, other), refused("invalid_grant"));
		await approve(by, shown);
		await assert.rejects(poll(shown, other), refused("invalid_grant"));
		assert.equal((await poll(shown)).claims()?.sub, by.person.id);
		await assert.rejects(poll({ ...shown, device_code: `${shown.device_code}x` }), refused("invalid_grant"));
	});

	it("get tokens for an API that both client and user may use", async () => {
		const resource = "https://orders.example/api";
		const { person, ...by } = await signedIn();
		const api = await connect(service, { resource }, { name: "Orders" });
		const caller = await deviceOf(await connectDevice({ allowedResources: [resource] }));
		await assert.rejects(
			client.initiateDeviceAuthorization(party, { scope: "openid", resource }),
			refused("invalid_target"),
		);
		const shown = await client.initiateDeviceAuthorization(caller, { scope: "openid", resource });
		const seen = await sendCode(by, "preview", shown.user_code);
		assert.deepEqual(seen.body.data.apis, [{ resource, name: "Orders", scopes: [] }]);
		await service.asAdmin("PATCH", `/api/v1/applications/${api.id}`, { access_policy: "assigned" });
		assert.equal((await sendCode(by, "approve", shown.user_code)).status, 403);
		await service.asAdmin("PATCH", `/api/v1/applications/${api.id}`, { access_policy: "open" });
		await approve(by, shown);
		const { device_code } = shown;
		const tokens = await client.genericGrantRequest(caller, GRANT, { device_code, resource });
		const { aud, sub } = decodeJwt(tokens.access_token);
		assert.deepEqual([aud, sub], [resource, person.id]);
		const next = await client.refreshTokenGrant(caller, tokens.refresh_token ?? "", { resource });
		assert.notEqual(next.access_token, tokens.access_token);
	});

	it("bind tokens to the key of the device", async () => {
		const { person, ...by } = await signedIn();
		const DPoP = client.getDPoPHandle(party, await client.randomDPoPKeyPair("ES256"));
		const shown = await begin();
		await approve(by, shown);
		const tokens = await client.pollDeviceAuthorizationGrant(party, { ...shown, interval: 1 }, undefined, {
			DPoP,
		});
		assert.equal(tokens.token_type, "dpop");
		await assert.rejects(client.fetchUserInfo(party, tokens.access_token, person.id));
		const info = await client.fetchUserInfo(party, tokens.access_token, person.id, { DPoP });
		assert.equal(info.sub, person.id);
	});

	it("are stored under a digest and sealed", async () => {
		const shown = await begin();
		const stored = JSON.stringify(
			await rows(service, "SELECT * FROM oauth_records WHERE kind = 'DeviceCode'"),
		);
		for (const value of [shown.device_code, shown.user_code, shown.user_code.replace("-", ""), "profile"])
			assert.equal(stored.includes(value), false, value);
	});
});
