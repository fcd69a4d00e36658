// What the mails say that give an account back to its owner, or warn of what happens to it.

import type { Block } from "./layout.ts";
import { readableTime, type Wording } from "./wording.ts";

export const passwordReset: Wording<"password_reset"> = {
	en: (m) => ({
		subject: "Set a new password",
		heading: "Set a new password",
		blocks: [
			{
				kind: "text",
				text: `Somebody, probably you, asked for a new password for your account “${m.username}”. You can set it on this page:`,
			},
			{ kind: "action", label: "Set a new password", url: m.resetUrl },
			{
				kind: "text",
				text: `The link works once, within ${m.expiresInMinutes} minutes; a newer mail replaces it. Opening the page changes nothing.`,
			},
			{
				kind: "small",
				text: "If you did not ask for it, ignore this mail: your password stays as it is. Never pass the link on; nobody from our side will ask for it.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "设置新密码",
		heading: "设置新密码",
		blocks: [
			{
				kind: "text",
				text: `有人（可能是您本人）申请为账号“${m.username}”设置新密码。请在以下页面完成设置：`,
			},
			{ kind: "action", label: "设置新密码", url: m.resetUrl },
			{
				kind: "text",
				text: `该链接仅可使用一次，${m.expiresInMinutes} 分钟内有效；如有更新的邮件，以新邮件为准。仅打开页面不会产生任何变化。`,
			},
			{
				kind: "small",
				text: "如果您没有申请，请忽略本邮件，您的密码不会改变。请勿将链接转发给任何人，我们的工作人员不会向您索要。",
			},
		],
	}),
};

export const emailChangeCode: Wording<"email_change_code"> = {
	en: (m) => ({
		subject: "Confirm your new e-mail address",
		heading: "Confirm your new e-mail address",
		blocks: [
			{
				kind: "text",
				text: `Enter this code to make this address the one of your account “${m.username}”:`,
			},
			{ kind: "code", code: m.code },
			{
				kind: "text",
				text: `It is valid for ${m.expiresInMinutes} minutes. Never tell it to anyone; nobody from our side will ask for it.`,
			},
			{ kind: "small", text: "If you did not ask for a code, ignore this mail: nothing was changed." },
		],
	}),
	"zh-CN": (m) => ({
		subject: "确认您的新邮箱",
		heading: "确认您的新邮箱",
		blocks: [
			{ kind: "text", text: `请输入以下验证码，将此邮箱设为账号“${m.username}”的邮箱：` },
			{ kind: "code", code: m.code },
			{
				kind: "text",
				text: `验证码 ${m.expiresInMinutes} 分钟内有效。请勿告诉任何人，我们的工作人员不会向您索要验证码。`,
			},
			{ kind: "small", text: "如果您没有申请验证码，请忽略本邮件，不会产生任何变化。" },
		],
	}),
};

export const emailChangeTaken: Wording<"email_change_taken"> = {
	en: (m) => ({
		subject: "Your e-mail address already has an account",
		heading: "Your e-mail address already has an account",
		blocks: [
			{
				kind: "text",
				text: "Somebody, probably you, tried to make this the e-mail address of another account.",
			},
			{
				kind: "text",
				text: `It already belongs to the account “${m.username}”, and stays with it. To use it elsewhere, change the address of that account first.`,
			},
			{ kind: "small", text: "If it was not you, nothing was changed and you need not do anything." },
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的邮箱已绑定账号",
		heading: "您的邮箱已绑定账号",
		blocks: [
			{ kind: "text", text: "有人（可能是您本人）尝试将此邮箱设为另一个账号的邮箱。" },
			{
				kind: "text",
				text: `该邮箱已绑定账号“${m.username}”，不会改变。如需用于其他账号，请先更改该账号的邮箱。`,
			},
			{ kind: "small", text: "如果这不是您本人的操作，您的账号没有任何变化，无需处理。" },
		],
	}),
};

export const emailChanged: Wording<"email_changed"> = {
	en: (m) => ({
		subject: "The e-mail address of your account was changed",
		heading: "The e-mail address of your account was changed",
		blocks: [
			{
				kind: "text",
				text: `The e-mail address of your account “${m.username}” was changed on ${readableTime(m.at, "en")}. Mails about it go to the new address from now on.`,
			},
			...(m.restoreUrl === ""
				? told("If you know nothing of it, tell an administrator of the service at once.")
				: wayBack(
						`If it was not you, somebody else has your account. Until ${readableTime(m.restoreEndsAt, "en")} you can take it back on this page; you will then set a new password:`,
						{ kind: "action", label: "Take the account back", url: m.restoreUrl },
						"If it was you, there is nothing you need to do.",
					)),
		],
	}),
	"zh-CN": (m) => ({
		subject: "您账号的邮箱已更改",
		heading: "您账号的邮箱已更改",
		blocks: [
			{
				kind: "text",
				text: `您的账号“${m.username}”的邮箱已于 ${readableTime(m.at, "zh-CN")} 更改。今后的邮件将发送到新邮箱。`,
			},
			...(m.restoreUrl === ""
				? told("如果您对此不知情，请立即联系本服务的管理员。")
				: wayBack(
						`如果这不是您本人的操作，说明您的账号已被他人使用。在 ${readableTime(m.restoreEndsAt, "zh-CN")} 之前，您可以在以下页面取回账号，随后需要设置新密码：`,
						{ kind: "action", label: "取回账号", url: m.restoreUrl },
						"如果这是您本人的操作，则无需处理。",
					)),
		],
	}),
};

function told(text: string): Block[] {
	return [{ kind: "text", text }];
}

function wayBack(text: string, action: Block, otherwise: string): Block[] {
	return [{ kind: "text", text }, action, { kind: "small", text: otherwise }];
}

export const emailRestored: Wording<"email_restored"> = {
	en: (m) => ({
		subject: "Your account is yours again: set a new password",
		heading: "Your account is yours again",
		blocks: [
			{
				kind: "text",
				text: `This address belongs to your account “${m.username}” again. It was signed out everywhere, and its password no longer works. Set a new one:`,
			},
			{ kind: "action", label: "Set a new password", url: m.resetUrl },
			{
				kind: "text",
				text: `The link works once, within ${m.expiresInMinutes} minutes; afterwards ask for another where you sign in. Then look at your second factors and linked accounts: remove what is not yours.`,
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的账号已取回：请设置新密码",
		heading: "您的账号已取回",
		blocks: [
			{
				kind: "text",
				text: `此邮箱已重新绑定到您的账号“${m.username}”。该账号的所有会话均已退出登录，原密码已失效。请设置新密码：`,
			},
			{ kind: "action", label: "设置新密码", url: m.resetUrl },
			{
				kind: "text",
				text: `该链接仅可使用一次，${m.expiresInMinutes} 分钟内有效；过期后可在登录页面重新申请。随后请检查您的第二验证方式和绑定的第三方账号，移除不属于您的内容。`,
			},
		],
	}),
};

export const newDevice: Wording<"new_device"> = {
	en: (m) => ({
		subject: "New sign-in to your account",
		heading: "New sign-in to your account",
		blocks: [
			{
				kind: "text",
				text: `Somebody signed in to your account “${m.username}” from a device or network it had not been used from lately.`,
			},
			{
				kind: "facts",
				rows: [
					["Device", m.device],
					["Address", m.ip],
					["Time", readableTime(m.at, "en")],
				],
			},
			{
				kind: "text",
				text: "If it was you, there is nothing you need to do. If it was not, somebody knows your password: set a new one at once, which signs out every session.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的账号有新的登录",
		heading: "您的账号有新的登录",
		blocks: [
			{
				kind: "text",
				text: `您的账号“${m.username}”刚刚在近期未使用过的设备或网络上登录。`,
			},
			{
				kind: "facts",
				rows: [
					["设备", m.device],
					["地址", m.ip],
					["时间", readableTime(m.at, "zh-CN")],
				],
			},
			{
				kind: "text",
				text: "如果是您本人登录，则无需处理。如果不是，说明有人知道您的密码：请立即设置新密码，所有会话将随之退出登录。",
			},
		],
	}),
};
