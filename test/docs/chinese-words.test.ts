// English texts of the API have Chinese translations in the pages: audit summaries, errors, checks.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nameDevice, nameDeviceInChinese } from "../../pages/words/account/device.ts";
import en from "../../pages/words/audit-summaries/en.ts";
import type { RecordedEvent } from "../../pages/words/audit-summaries/event.ts";
import zhCn from "../../pages/words/audit-summaries/zh-cn.ts";
import { AUDIT_NOUNS } from "../../src/domain/audit.ts";
import { AUDIT_ACTIONS, RETIRED_AUDIT_ACTIONS } from "../../src/domain/audit-action.ts";
import { CHECKS, check } from "../../src/domain/installation-check.ts";
import { describeDevice, readDevice } from "../../src/kernel/device.ts";
import { ERROR_KINDS } from "../../src/kernel/error.ts";
import { FIELD_REASONS, type FieldReason } from "../../src/kernel/field-reason.ts";
import { fillTemplate } from "../../src/kernel/message-template.ts";

const ROOT = join(import.meta.dirname, "../..");
// A computed path, because the types of these modules depend on generated types.
const [errorsInEnglish, errors, installationInEnglish, installation] = await Promise.all(
	["api-errors/en", "api-errors/zh-cn", "console-installation/en", "console-installation/zh-cn"].map(
		async (words) => (await import(join(ROOT, `pages/words/${words}.ts`))).default,
	),
);

const EVENT: RecordedEvent = {
	actor: "user:u1",
	actor_name: "ada",
	action: "user.updated",
	target: "user:u2",
	target_name: "grace",
	details: {},
	changes: {},
	summary: "ada changed user grace",
};
const inChinese = (event: Partial<RecordedEvent>): string => zhCn.summaryOf({ ...EVENT, ...event });

describe("the Chinese summary of an audit event", () => {
	it("exists for every action, current or retired; for others, the text of the API is shown", () => {
		for (const action of [...AUDIT_ACTIONS, ...Object.keys(RETIRED_AUDIT_ACTIONS)]) {
			const summary = inChinese({ action });
			assert.match(summary, /[\p{Script=Han}]{2}/u, action);
			assert.doesNotMatch(summary, /[{}|[\]]|changed| {2}|^ | $|。$/, action);
		}
		assert.equal(inChinese({ action: "toString" }), EVENT.summary);
		assert.equal(inChinese({ action: "other.done", summary: "" }), "other.done");
		assert.equal(en.summaryOf({ ...EVENT, summary: "" }), "user.updated");
	});

	it("names each person once, and shows the roles before and after", () => {
		const added = { action: "user.second_factor_added" };
		assert.equal(inChinese(added), "ada 为人员 grace 添加了验证方式");
		assert.equal(inChinese({ ...added, target: "user:u1", target_name: "ada" }), "ada 添加了验证方式");
		assert.equal(inChinese({ action: "user.second_factor_asked" }), "grace 被要求进行双重验证");
		const roles = { from: ["manager"], to: [] };
		const event = { action: "grant.updated", details: { app_name: "Billing" }, changes: { roles } };
		assert.equal(inChinese(event), "ada 更改了 grace 在 Billing 中的角色：manager → 空");
		const target = { target: "group:g", target_name: "Sales" };
		assert.equal(
			inChinese({ ...event, ...target }),
			"ada 更改了群组 Sales 在 Billing 中的角色：manager → 空",
		);
	});

	it("names actor and target, by id if an event has no name", () => {
		assert.equal(inChinese({}), "ada 更改了人员 grace");
		assert.equal(inChinese({ actor_name: "", target_name: "" }), "人员 u1 更改了人员 u2");
		assert.equal(inChinese({ actor: "system", actor_name: "" }), "本服务更改了人员 grace");
		assert.equal(inChinese({ actor: "anonymous", actor_name: "" }), "访客更改了人员 grace");
		assert.equal(inChinese({ actor: "cli:root", actor_name: "" }), "root（命令行）更改了人员 grace");
		assert.equal(inChinese({ actor: "key:k", actor_name: "报表" }), "管理密钥 报表更改了人员 grace");
		assert.equal(inChinese({ actor: "toString:c", actor_name: "" }), "toString c 更改了人员 grace");
		const failed = { action: "user.sign_in_failed", actor: "anonymous", target: "", target_name: "" };
		assert.equal(inChinese(failed), "以未知账户的身份登录失败");
		for (const noun of Object.keys(AUDIT_NOUNS))
			assert.doesNotMatch(inChinese({ target: `${noun}:7`, target_name: "N" }), /_|7/, noun);
	});

	it("does not expand placeholders in names", () => {
		assert.equal(
			inChinese({ actor_name: "{target}$&#", target_name: "#{actor}$1" }),
			"{target}$&#更改了人员 #{actor}$1",
		);
	});

	it("names the application and the group in the details", () => {
		const given = { action: "grant.created" };
		assert.equal(inChinese(given), "ada 授予人员 grace 访问某个应用的权限");
		assert.equal(
			inChinese({ ...given, details: { app_name: "Wiki" } }),
			"ada 授予人员 grace 访问 Wiki 的权限",
		);
		assert.equal(inChinese({ ...given, details: { app_name: 7 } }), "ada 授予人员 grace 访问某个应用的权限");
	});

	it("shows a limited number of shortened old and new values", () => {
		const changes = {
			status: { from: "active", to: "disabled" },
			roles: { from: [], to: ["admin", "auditor"] },
		};
		assert.equal(
			inChinese({ changes }),
			"ada 更改了人员 grace：status 由 active 改为 disabled，roles 由空改为 admin auditor",
		);
		const many = Object.fromEntries(
			Array.from({ length: 9 }, (_, n) => [`f${n}`, { from: n, to: "x".repeat(500) }]),
		);
		const summary = inChinese({ changes: many });
		assert.ok(summary.length < 500);
		assert.match(summary, /，另有 4 项$/);
	});
});

describe("the Chinese text of an error", () => {
	it("exists for every code of the API, and for no other", () => {
		for (const code of Object.keys(ERROR_KINDS)) {
			const text = errors.textOf(code);
			assert.match(text ?? "", /[\p{Script=Han}]{2}.*。$/u, code);
			assert.equal(errorsInEnglish.textOf(code), undefined);
		}
		for (const code of ["other.code", "toString", ""]) assert.equal(errors.textOf(code), undefined);
	});

	it("has the parameters of each reason code of a field", () => {
		for (const [code, text] of Object.entries(FIELD_REASONS)) {
			const params = Object.fromEntries(
				[...text.matchAll(PLACE)].map(([, name = ""]) => [name, `<${name}>`]),
			);
			const chinese = errors.fieldTextOf({ field: "f", message: text, code: code as FieldReason, params });
			assert.match(chinese, /\p{Script=Han}/u, code);
			assert.doesNotMatch(chinese, /\{|<>|undefined/, code);
			for (const name of Object.keys(params))
				if (!NOT_SHOWN.has(name)) assert.ok(chinese.includes(`<${name}>`), `${code}: ${name}`);
		}
	});

	it("is the text of the API for an unknown reason", () => {
		const code = "must_sing" as FieldReason;
		assert.equal(errors.fieldTextOf({ field: "f", message: "must sing", code, params: {} }), "must sing");
	});
});

/** Long lists of names, and the unit of a statistic. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["fields", "parameters", "step"]);
const PLACE = /\{(\w+)\}/g;

describe("the Chinese text of a check of the installation", () => {
	it("exists for every code with every parameter, and the English text is that of the API", () => {
		for (const [code, [, text]] of Object.entries(CHECKS)) {
			const params = Object.fromEntries(
				[...text.matchAll(PLACE)].map(([, name = ""]) => [name, `<${name}>`]),
			);
			const example = { code, params, detail: fillTemplate(text, params) };
			assert.equal(installationInEnglish.detailOf(example), example.detail);
			const chinese = installation.detailOf(example);
			assert.doesNotMatch(chinese, /[{}]|undefined/, code);
			assert.deepEqual(new Set(chinese.match(/<\w+>/g)), new Set(Object.values(params)), code);
			// `v{version}` and `{now}` are the same in every language.
			if (/[a-z]{2}/.test(text.replaceAll(PLACE, ""))) assert.match(chinese, /\p{Script=Han}/u, code);
		}
	});

	it("has a name for every subject, in both languages", () => {
		const subjects = new Set(Object.keys(CHECKS).map((code) => code.split(".")[0]));
		for (const { subjects: names } of [installation, installationInEnglish])
			assert.deepEqual(new Set(Object.keys(names)), subjects);
	});

	it("is the text of the API for an unknown code", () => {
		const newer = { ...check("port.free", { port: 8080 }), code: "toString", detail: "is singing" };
		assert.equal(installation.detailOf(newer), "is singing");
	});
});

describe("the name of a device", () => {
	const of = (user_agent: string) => {
		const { client: device_client, system: device_system } = readDevice(user_agent);
		const session = { device: describeDevice(user_agent), device_client, device_system, user_agent };
		return [nameDevice(session), nameDeviceInChinese(session)];
	};

	it("is made of the browser and the system that are known", () => {
		assert.deepEqual(of("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0"), [
			"Firefox on Linux",
			"Linux 上的 Firefox",
		]);
		assert.deepEqual(of("Mozilla/5.0 (X11) unknown"), ["Linux", "Linux"]);
		assert.deepEqual(of("Mozilla/5.0 (unknown)"), ["Unknown device", "未知设备"]);
	});

	it("says that a program called the API, and which one if it says so", () => {
		assert.deepEqual(of("curl/8.5.0"), ["API call from curl", "API 调用（curl）"]);
		assert.deepEqual(of(""), ["API call", "API 调用"]);
	});
});
