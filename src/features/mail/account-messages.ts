// What the mails about a person's own account say.

import { readableTime, type Wording } from "./wording.ts";

export const registrationCode: Wording<"registration_code"> = {
	en: (m) => ({
		subject: "Your registration code",
		heading: "Your registration code",
		blocks: [
			{ kind: "text", text: "Enter this code to finish your registration:" },
			{ kind: "code", code: m.code },
			{
				kind: "text",
				text: `It is valid for ${m.expiresInMinutes} minutes. Never tell it to anyone; nobody from our side will ask for it.`,
			},
			{
				kind: "small",
				text: "If you did not ask for a code, ignore this mail: without the code no account can be made with your address.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的注册验证码",
		heading: "您的注册验证码",
		blocks: [
			{ kind: "text", text: "请输入以下验证码完成注册：" },
			{ kind: "code", code: m.code },
			{
				kind: "text",
				text: `验证码 ${m.expiresInMinutes} 分钟内有效。请勿告诉任何人，我们的工作人员不会向您索要验证码。`,
			},
			{
				kind: "small",
				text: "如果您没有申请验证码，请忽略本邮件：没有验证码，任何人都无法用您的邮箱注册账号。",
			},
		],
	}),
};

export const accountExists: Wording<"account_exists"> = {
	en: (m) => ({
		subject: "You already have an account",
		heading: "You already have an account",
		blocks: [
			{ kind: "text", text: "Somebody, probably you, tried to register with this e-mail address." },
			{ kind: "text", text: `It already belongs to the account “${m.username}”. You can sign in with it.` },
			{ kind: "small", text: "If it was not you, nothing was changed and you need not do anything." },
		],
	}),
	"zh-CN": (m) => ({
		subject: "您已有账号",
		heading: "您已有账号",
		blocks: [
			{ kind: "text", text: "有人（可能是您本人）尝试使用此邮箱注册账号。" },
			{ kind: "text", text: `该邮箱已绑定账号“${m.username}”，您可以直接登录。` },
			{ kind: "small", text: "如果这不是您本人的操作，您的账号没有任何变化，无需处理。" },
		],
	}),
};

export const passwordChanged: Wording<"password_changed"> = {
	en: (m) => ({
		subject: "Your password was changed",
		heading: "Your password was changed",
		blocks: [
			{
				kind: "text",
				text: `The password of your account “${m.username}” was changed on ${readableTime(m.at, "en")}. Your other sessions were signed out.`,
			},
			{
				kind: "text",
				text: "If it was not you, somebody else may have your account: reset the password at once and tell your administrator.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: "您的密码已修改",
		heading: "您的密码已修改",
		blocks: [
			{
				kind: "text",
				text: `您的账号“${m.username}”的密码已于 ${readableTime(m.at, "zh-CN")} 修改，其他会话均已退出登录。`,
			},
			{
				kind: "text",
				text: "如果这不是您本人的操作，您的账号可能已被他人使用：请立即重置密码并联系管理员。",
			},
		],
	}),
};
