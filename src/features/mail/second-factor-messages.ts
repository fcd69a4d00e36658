// What the mails about a person's second factors say.

import { RECOVERY_CODES_FEW } from "../mfa/model.ts";
import type { SecondFactorChange } from "./model.ts";
import { readableTime, type Wording } from "./wording.ts";

const ENGLISH: Readonly<Record<SecondFactorChange, readonly [subject: string, sentence: string]>> = {
	totp_added: ["An authenticator app was added", "An authenticator app was added to your account"],
	totp_removed: ["Your authenticator app was removed", "The authenticator app of your account was removed"],
	passkey_added: ["A passkey was added", "A passkey was added to your account"],
	passkey_removed: ["A passkey was removed", "A passkey of your account was removed"],
	recovery_codes_renewed: [
		"You have new recovery codes",
		"New recovery codes were made, the ones before are worthless, for your account",
	],
	reset: [
		"Your second factors were reset",
		"An administrator removed all second factors and recovery codes, and ended all sessions, of your account",
	],
};

const CHINESE: Readonly<Record<SecondFactorChange, readonly [subject: string, sentence: string]>> = {
	totp_added: ["已添加身份验证器", "已添加身份验证器应用"],
	totp_removed: ["身份验证器已移除", "身份验证器应用已移除"],
	passkey_added: ["已添加通行密钥", "已添加一个通行密钥"],
	passkey_removed: ["通行密钥已移除", "一个通行密钥已移除"],
	recovery_codes_renewed: ["恢复码已更新", "已生成新的恢复码，旧恢复码全部失效"],
	reset: ["您的双重验证已重置", "管理员已移除全部双重验证方式和恢复码，并结束了所有会话"],
};

export const secondFactorChanged: Wording<"second_factor_changed"> = {
	en: (m) => ({
		subject: ENGLISH[m.change][0],
		heading: ENGLISH[m.change][0],
		blocks: [
			{ kind: "text", text: `${ENGLISH[m.change][1]} “${m.username}” on ${readableTime(m.at, "en")}.` },
			...(m.name === "" ? [] : [{ kind: "facts" as const, rows: [["Passkey", m.name] as const] }]),
			{
				kind: "text",
				text: "If it was not you, somebody else may have your account: change the password at once and tell your administrator.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: CHINESE[m.change][0],
		heading: CHINESE[m.change][0],
		blocks: [
			{
				kind: "text",
				text: `您的账号“${m.username}”于 ${readableTime(m.at, "zh-CN")} 发生变更：${CHINESE[m.change][1]}。`,
			},
			...(m.name === "" ? [] : [{ kind: "facts" as const, rows: [["通行密钥", m.name] as const] }]),
			{
				kind: "text",
				text: "如果这不是您本人的操作，您的账号可能已被他人使用：请立即修改密码并联系管理员。",
			},
		],
	}),
};

export const recoveryCodeUsed: Wording<"recovery_code_used"> = {
	en: (m) => ({
		subject: "A recovery code was used",
		heading: "A recovery code was used",
		blocks: [
			{
				kind: "text",
				text: `Somebody signed in to your account “${m.username}” with a recovery code on ${readableTime(m.at, "en")}. Unused codes left: ${m.left}.`,
			},
			...(m.left > RECOVERY_CODES_FEW
				? []
				: [{ kind: "text" as const, text: "Few are left. Make new ones while you can sign in." }]),
			{
				kind: "text",
				text: "If it was not you, somebody else has your password and your codes: change the password and make new codes at once.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "恢复码已被使用",
		heading: "恢复码已被使用",
		blocks: [
			{
				kind: "text",
				text: `有人于 ${readableTime(m.at, "zh-CN")} 使用恢复码登录了您的账号“${m.username}”。剩余可用恢复码：${m.left} 个。`,
			},
			...(m.left > RECOVERY_CODES_FEW
				? []
				: [{ kind: "text" as const, text: "恢复码即将用完，请在仍可登录时生成新的恢复码。" }]),
			{
				kind: "text",
				text: "如果这不是您本人的操作，说明他人掌握了您的密码和恢复码：请立即修改密码并重新生成恢复码。",
			},
		],
	}),
};

export const secondFactorGuessed: Wording<"second_factor_guessed"> = {
	en: (m) => ({
		subject: "Somebody may know your password",
		heading: "Somebody may know your password",
		blocks: [
			{
				kind: "text",
				text: `On ${readableTime(m.at, "en")} somebody gave the right password of your account “${m.username}”, then wrong codes again and again. Nobody was let in.`,
			},
			{ kind: "text", text: "If it was not you, change your password at once." },
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的密码可能已泄露",
		heading: "您的密码可能已泄露",
		blocks: [
			{
				kind: "text",
				text: `${readableTime(m.at, "zh-CN")}，有人输入了您的账号“${m.username}”的正确密码，随后多次输入错误的验证码。登录未成功。`,
			},
			{ kind: "text", text: "如果这不是您本人的操作，请立即修改密码。" },
		],
	}),
};
