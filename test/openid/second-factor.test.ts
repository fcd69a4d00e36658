// A sign-in with two factors, requested by the application (`acr_values`) or required by the requested API.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { totpCode } from "../../src/crypto/totp.ts";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import {
	CALLBACK,
	completeAuthorization,
	connect,
	exchange,
	idOf,
	obtainTokens,
	openIdService,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, signInToApplication } from "../harness/people/people.ts";
import {
	addPersonWithTotp,
	completeMfa,
	MFA,
	nextCode,
	type PersonWithTotp,
} from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

const MULTI_FACTOR = "http://schemas.openid.net/pape/policies/2007/06/multi-factor";
const ASKED = { acr_values: MULTI_FACTOR };
const API = "urn:example:strict";

interface Due {
	readonly data: { readonly mfa_token: string; readonly enrolment_required: boolean };
	readonly error?: string;
}

describe("a requested sign-in with two factors", () => {
	const service = openIdService();
	let party: client.Configuration;
	let round = 0;
	before(async () => {
		await connect(service, { resource: API }, { require_mfa: true });
		party = await relyingParty(
			service,
			await connect(service, { firstParty: true, allowedResources: [API] }),
		);
	});

	async function signedIn() {
		const person = await addPerson(service, `person-${++round}`);
		return { person, ...(await signedInBrowser(service, person)) };
	}
	/** Signs in with both factors. */
	async function signIn(browser: TestBrowser, { username, password, secret }: PersonWithTotp) {
		const first = await browser.post<Due>("/api/v1/auth/login", { username, password });
		const body = { mfa_token: first.body.data.mfa_token, method: "totp", code: nextCode(service, secret) };
		const second = await browser.post<{ data: { access_token: string } }>(MFA, body);
		assert.equal(second.status, 200, JSON.stringify(second.body));
		return second.body.data.access_token;
	}
	async function begin(browser: TestBrowser, parameters: Record<string, string> = ASKED) {
		const asked = await startAuthorization(party, parameters);
		const sent = await browser.go(asked.url.href);
		assert.match(sent.headers.location ?? "", /\/sign-in\?interaction=/);
		return { asked, id: idOf(sent.headers.location) };
	}
	const stepUp = (browser: TestBrowser, token: string, body: object) =>
		browser.post<Due>(`${MFA}/step-up`, body, token);
	/** Enrolls an authenticator app with an `mfa_token`. @returns the access token of the new session */
	async function enrol(browser: TestBrowser, mfa_token: string): Promise<string> {
		const started = await service.call("POST", `${MFA}/totp`, { body: { mfa_token } });
		const code = totpCode(started.body.data.secret, service.clock.now());
		const confirmed = await browser.post<{ data: { access_token: string } }>(`${MFA}/totp/confirm`, {
			mfa_token,
			code,
		});
		assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
		return confirmed.body.data.access_token;
	}

	it("makes a user without a second factor enroll one, and shows it in the ID token", async () => {
		const { person, browser, token } = await signedIn();
		const { asked, id } = await begin(browser);
		const shown = await browser.go(`/api/v1/auth/interactions/${id}`);
		assert.equal((shown.body as { data: { second_factor: boolean } }).data.second_factor, true);
		const refused = await proceed(browser, id, token);
		assert.deepEqual([refused.status, refused.body.error], [403, "the application requires a second factor"]);
		const due = await stepUp(browser, token, { interaction_id: id });
		assert.deepEqual([due.status, due.body.data?.enrolment_required], [200, true]);
		const strong = await enrol(browser, due.body.data.mfa_token);
		const next = await proceed(browser, id, strong);
		assert.equal(next.status, 200, JSON.stringify(next.body));
		const returned = await completeAuthorization(browser, next.body.data.redirect_to, strong);
		const tokens = await exchange(party, returned, asked);
		assert.deepEqual(
			[tokens.claims()?.sub, tokens.claims()?.acr, tokens.claims()?.amr],
			[person.id, MULTI_FACTOR, ["pwd", "otp", "mfa"]],
		);
		const refreshed = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		assert.deepEqual(
			[refreshed.claims()?.acr, refreshed.claims()?.amr],
			[MULTI_FACTOR, ["pwd", "otp", "mfa"]],
		);
	});

	it("requires nothing more of a session with two factors", async () => {
		const person = await addPersonWithTotp(service, `person-${++round}`);
		const browser = new TestBrowser(service);
		const token = await signIn(browser, person);
		const tokens = await obtainTokens(party, browser, token, { ...ASKED, prompt: "none" });
		assert.deepEqual([tokens.claims()?.acr, tokens.claims()?.amr], [MULTI_FACTOR, ["pwd", "otp", "mfa"]]);
		const unasked = await obtainTokens(party, browser, token);
		assert.equal(unasked.claims()?.acr, MULTI_FACTOR);
	});

	it("asks a user for the factor in a session from before the enrollment", async () => {
		const { person, browser, token } = await signedIn();
		const started = await service.call("POST", "/api/v1/users/me/mfa/totp", {
			token: person.token,
			body: { password: person.password },
		});
		const { secret } = started.body.data;
		await service.call("POST", "/api/v1/users/me/mfa/totp/confirm", {
			token: person.token,
			body: { code: totpCode(secret, service.clock.now()) },
		});
		const { id } = await begin(browser);
		assert.equal((await proceed(browser, id, token)).status, 403);
		const due = await stepUp(browser, token, { interaction_id: id });
		assert.equal(due.body.data.enrolment_required, false);
		const wrong = await completeMfa(service, due.body.data.mfa_token, "totp", "000000");
		assert.equal(wrong.status, 401);
		const body = { mfa_token: due.body.data.mfa_token, method: "totp", code: nextCode(service, secret) };
		const answered = await browser.post<{ data: { access_token: string } }>(MFA, body);
		assert.equal((await proceed(browser, id, answered.body.data.access_token)).status, 200);
	});

	it("is refused if no page may be shown, and never claimed for a sign-in with one factor", async () => {
		const { browser, token } = await signedIn();
		const { url } = await startAuthorization(party, { ...ASKED, prompt: "none" });
		const back = new URL((await browser.go(url.href)).headers.location ?? "");
		assert.deepEqual(
			[back.origin, back.searchParams.get("error")],
			[new URL(CALLBACK).origin, "login_required"],
		);
		assert.equal((await obtainTokens(party, browser, token)).claims()?.acr, undefined);
	});

	it("is not bypassed by a URL, a changed request, or another session", async () => {
		const { browser, token } = await signedIn();
		const { asked, id } = await begin(browser);
		for (const path of [`/oauth/authorize/${id}`, `/oauth/authorize/${id}?acr_values=`]) {
			const response = await browser.go(path);
			assert.deepEqual([response.status, response.headers.location], [400, undefined], path);
		}
		assert.equal((await proceed(browser, id, token)).status, 403);
		const other = await addPersonWithTotp(service, `person-${++round}`);
		const elsewhere = new TestBrowser(service);
		const strong = await signIn(elsewhere, other);
		const next = await proceed(elsewhere, id, strong);
		assert.equal(next.status, 200);
		const resumed = await browser.go(next.body.data.redirect_to);
		assert.equal(resumed.status, 400, "the browser of the one factor");
		assert.equal(resumed.headers.location, undefined);
		assert.equal(typeof asked.state, "string");
	});

	it("can be requested among unknown values, which are ignored", async () => {
		const { browser, token } = await signedIn();
		for (const acr_values of ["phr", "1 2", `${MULTI_FACTOR}/`, MULTI_FACTOR.toUpperCase(), "mfa"]) {
			const tokens = await obtainTokens(party, browser, token, { acr_values });
			assert.equal(tokens.claims()?.acr, undefined, acr_values);
		}
		await begin(browser, { acr_values: `phr ${MULTI_FACTOR}` });
	});

	it("can be requested by a pushed request", async () => {
		const { browser } = await signedIn();
		const pushed = await client.buildAuthorizationUrlWithPAR(
			party,
			(await startAuthorization(party, ASKED)).url.searchParams,
		);
		const sent = await browser.go(pushed.href);
		assert.match(sent.headers.location ?? "", /\/sign-in\?interaction=/);
	});

	it("is required if the requested API requires it", async () => {
		const { person, browser, token } = await signedIn();
		const { asked, id } = await begin(browser, { resource: API });
		assert.equal((await proceed(browser, id, token)).status, 403);
		const due = await stepUp(browser, token, { interaction_id: id });
		const strong = await enrol(browser, due.body.data.mfa_token);
		const next = await proceed(browser, id, strong);
		const returned = await completeAuthorization(browser, next.body.data.redirect_to, strong);
		const tokens = await exchange(party, returned, asked, { resource: API });
		const claims = decodeJwt(tokens.access_token);
		assert.deepEqual([claims.sub, claims.acr], [person.id, MULTI_FACTOR]);
	});

	describe("the step-up for it", () => {
		it("enrolls no factor if the current sign-in needs none, has expired, or is of another tenant", async () => {
			const { browser, token } = await signedIn();
			const plain = await begin(new TestBrowser(service), {});
			assert.equal((await stepUp(browser, token, { interaction_id: plain.id })).status, 409);
			for (const interaction_id of ["abcdefghijklmnopqrstu", "x"])
				assert.equal((await stepUp(browser, token, { interaction_id })).status, 404, interaction_id);
			const second = await addSecondTenant(service);
			const { id } = await begin(new TestBrowser(service));
			const theirs = await service.call("POST", `${MFA}/step-up`, {
				token: second.adminToken,
				body: { interaction_id: id },
			});
			assert.equal(theirs.status, 403);
			service.clock.advance(60 * MINUTE_MS);
			const late = await signedIn();
			assert.equal((await stepUp(browser, late.token, { interaction_id: id })).status, 404);
		});

		it("requires a recent sign-in or the password, and refuses a token of an application", async () => {
			const { person, browser, token } = await signedIn();
			const applicationToken = await signInToApplication(service, person);
			const { id } = await begin(browser);
			const byApplication = await stepUp(browser, applicationToken, { interaction_id: id });
			assert.equal(byApplication.status, 403);
			service.clock.advance(6 * MINUTE_MS);
			assert.equal((await stepUp(browser, token, { interaction_id: id })).status, 400);
			const body = { interaction_id: id, password: person.password };
			assert.equal((await stepUp(browser, token, body)).status, 200);
		});
	});
});
