// Sessions: users are notified of new devices, and no token outlives its session.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
const NEWER_FIREFOX = FIREFOX.replaceAll("144", "145");
const SAFARI =
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });

const signIn = (person: Person, userAgent: string, ip: string, language = "en") =>
	service.call("POST", "/api/v1/auth/login", {
		body: { username: person.username, password: person.password },
		headers: {
			"user-agent": userAgent,
			"x-forwarded-for": ip,
			"x-forwarded-proto": "https",
			"accept-language": language,
		},
	});
const refresh = (refreshToken: string, headers: Readonly<Record<string, string>> = {}) =>
	service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token: refreshToken }, headers });
const notices = async (person: Person, count = 0): Promise<string[]> =>
	(await service.mailsTo(person.email, count))
		.filter(({ subject }) => subject === "New sign-in to your account")
		.map(({ text }) => text ?? "");

describe("a sign-in from a new device", () => {
	it("mails the user the device, place, and time; later sign-ins from it send no mail", async () => {
		const person = await addPerson(service, "ada");
		assert.equal((await signIn(person, FIREFOX, "192.0.2.7")).status, 200);
		const [text = ""] = await notices(person, 1);
		assert.match(text, /Device: Firefox on Linux/);
		assert.match(text, /^IP address: 192\.0\.2\.7$/m);
		// The same device after an update, elsewhere in the same network, and by a refresh from anywhere.
		const again = await signIn(person, NEWER_FIREFOX, "192.0.2.99");
		await refresh(again.body.data.refresh_token, {
			"user-agent": SAFARI,
			"x-forwarded-for": "203.0.113.5",
			"x-forwarded-proto": "https",
		});
		assert.equal((await signIn(person, SAFARI, "192.0.2.7")).status, 200);
		assert.match((await notices(person, 2))[1] ?? "", /Device: Safari on iOS/);
		assert.equal((await signIn(person, SAFARI, "198.51.100.7", "zh-CN")).status, 200);
		assert.equal((await service.mailsTo(person.email, 3))[2]?.subject, "您的账号有新的登录");
		const signIns = (await auditOf(service, `user:${person.id}`)).filter(
			({ action }) => action === "user.signed_in",
		);
		assert.deepEqual(
			signIns.map(({ details }) => details.new_device ?? false),
			[false, true, false, true, true],
		);
	});

	it("sends no mail for the first sign-in of an account", async () => {
		const person = await addPerson(service, "fresh");
		await signIn(person, FIREFOX, "192.0.2.7");
		assert.equal((await notices(person, 1)).length, 1);
	});

	it("sends no mail if the password was wrong", async () => {
		const person = await addPerson(service, "guessed");
		await signIn({ ...person, password: "a wrong password" }, FIREFOX, "192.0.2.7");
		const known = await rows(service, "SELECT * FROM known_devices WHERE user_id = $1", person.id);
		assert.equal(known.length, 1);
	});

	it("is new again after ninety days, even without other sign-ins since", async () => {
		const person = await addPerson(service, "long-gone");
		await signIn(person, FIREFOX, "192.0.2.7");
		service.clock.advance(90 * DAY_MS);
		await signIn(person, FIREFOX, "192.0.2.7");
		assert.equal((await notices(person, 2)).length, 2);
	});

	it("sends one mail for concurrent sign-ins", async () => {
		const person = await addPerson(service, "many");
		await Promise.all(Array.from({ length: 10 }, () => signIn(person, FIREFOX, "192.0.2.7")));
		await signIn(person, SAFARI, "192.0.2.7");
		const texts = await notices(person, 2);
		assert.equal(texts.filter((text) => text.includes("Firefox")).length, 1);
	});

	it("stores only a digest of the device", async () => {
		const person = await addPerson(service, "private");
		await signIn(person, FIREFOX, "192.0.2.7");
		const known = await rows(service, "SELECT * FROM known_devices WHERE user_id = $1", person.id);
		assert.doesNotMatch(JSON.stringify(known), /Firefox|Linux|192\.0\.2/);
	});
});

describe("the end of a session", () => {
	const claimsOf = (token: string) =>
		JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString("utf8"));

	it("is 30 days after sign-in despite refreshes, and no access token outlives it", async () => {
		const person = await addPerson(service, "steady");
		const begun = service.clock.now();
		let tokens: DataOf<"POST /api/v1/auth/refresh"> = (await signIn(person, FIREFOX, "192.0.2.7")).body.data;
		const renew = async () => {
			const response = await refresh(tokens.refresh_token);
			assert.equal(response.status, 200, JSON.stringify(response.body));
			tokens = response.body.data;
		};
		for (let day = 6; day <= 24; day += 6) {
			service.clock.advance(6 * DAY_MS);
			await renew();
			assert.equal(tokens.expires_in, 900);
		}
		service.clock.advance(begun + 30 * DAY_MS - 10 * MINUTE_MS - service.clock.now());
		await renew();
		const endsAt = Math.floor((begun + 30 * DAY_MS) / SECOND_MS);
		const { exp } = claimsOf(tokens.access_token);
		assert.ok(exp <= endsAt + 1 && exp >= endsAt - 1, `${exp} is not the end ${endsAt}`);
		assert.ok(tokens.expires_in <= 600 && tokens.expires_in >= 590, String(tokens.expires_in));
		assert.ok(tokens.refresh_expires_in <= 600);
		service.clock.advance(11 * MINUTE_MS);
		assert.equal((await refresh(tokens.refresh_token)).status, 401);
		assert.equal((await service.call("GET", "/api/v1/users/me", { token: tokens.access_token })).status, 401);
	});
});
