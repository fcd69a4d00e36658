import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submit } from "../harness/access/access-requests.ts";
import { addPerson, signInAgain } from "../harness/people/people.ts";
import {
	confirmEmailChange,
	forgot,
	requestEmailChange,
	reset,
	resetTokenFor,
} from "../harness/people/recovery.ts";
import { codeFor, mailedCode, sendCode } from "../harness/people/registration.ts";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();

const PASSWORD = "a long and winding password";
const subjectsTo = async (email: string, count: number): Promise<(string | undefined)[]> =>
	(await service.mailsTo(email, count)).map(({ subject }) => subject);

describe("mails to a user with a language", () => {
	const locale = "zh-CN";

	it("ignore the language of the request: recovery, a new password, a new device", async () => {
		const ada = await addPerson(service, "ada", { locale });
		await forgot(service, ada.email, { "accept-language": "en" });
		service.clock.advance(61_000);
		const password = "another long password";
		assert.equal((await reset(service, await resetTokenFor(service, ada.email, 2), password)).status, 204);
		await signInAgain(
			service,
			{ ...ada, password },
			{ "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" },
		);
		assert.deepEqual(await subjectsTo(ada.email, 4), [
			"设置新密码",
			"设置新密码",
			"您的密码已修改",
			"您的账号有新的登录",
		]);
	});

	it("ignore the language of an administrator who changes the account", async () => {
		const bea = await addPerson(service, "bea", { locale });
		const body = { email: "bea2@people.example" };
		const headers = { "accept-language": "en" };
		assert.equal(
			(await service.callAsAdmin("PATCH", `/api/v1/users/${bea.id}`, { body, headers })).status,
			200,
		);
		assert.deepEqual(await subjectsTo(bea.email, 1), ["您账号的邮箱已更改"]);
	});

	it("ignore the language of another caller: a code for the new address, a taken address", async () => {
		const [cal, dan] = [await addPerson(service, "cal", { locale }), await addPerson(service, "dan")];
		assert.equal((await requestEmailChange(service, cal, "cal2@people.example")).status, 200);
		assert.deepEqual(await subjectsTo("cal2@people.example", 1), ["确认您的新邮箱"]);
		const code = await mailedCode(service, "cal2@people.example");
		assert.equal((await confirmEmailChange(service, cal, "cal2@people.example", code)).status, 200);
		assert.deepEqual(await subjectsTo(cal.email, 1), ["您账号的邮箱已更改"]);
		service.clock.advance(61_000);
		assert.equal((await requestEmailChange(service, dan, "cal2@people.example")).status, 200);
		await sendCode(service, "cal2@people.example", { "accept-language": "en" });
		const [, ...others] = await subjectsTo("cal2@people.example", 3);
		assert.deepEqual(others.toSorted(), ["您已有账号", "您的邮箱已绑定账号"].toSorted());
	});

	it("notify reviewers of an access request, each in their own language", async () => {
		const reviewers = [
			await addPerson(service, "rev-zh", { roles: ["reviewer"], locale }),
			await addPerson(service, "rev-none", { roles: ["reviewer"] }),
		];
		await submit(service, { project_name: "Engine X" }, { "accept-language": "zh-CN" });
		const subjects = await Promise.all(reviewers.map(({ email }) => subjectsTo(email, 1)));
		assert.match(String(subjects[0]), /待审核的接入申请/);
		assert.match(String(subjects[1]), /^Access request/);
	});
});

describe("mails to a user without a language", () => {
	it("are in the language of the request", async () => {
		const eve = await addPerson(service, "eve");
		await forgot(service, eve.email, { "accept-language": "zh-CN" });
		assert.deepEqual(await subjectsTo(eve.email, 1), ["设置新密码"]);
	});
});

describe("a registration", () => {
	for (const [language, locale] of [
		["zh-CN,zh;q=0.9", "zh-CN"],
		["en-GB", "en"],
		["de, fr;q=0.5", "en"],
		["*", null],
		["", null],
	] as const)
		it(`stores ${locale} for "${language}"`, async () => {
			const name = `new-${Buffer.from(language).toString("hex")}`.slice(0, 20);
			const email = `${name}@people.example`;
			const body = { username: name, email, password: PASSWORD, code: await codeFor(service, email) };
			const headers = { "accept-language": language };
			const response = await service.call("POST", "/api/v1/auth/register", { body, headers });
			assert.deepEqual([response.status, response.body.data?.locale], [201, locale]);
		});
});
