// What the mails about accounts at outside providers say.

import { readableTime, type Wording } from "./wording.ts";

export const thirdPartyAccountLinked: Wording<"third_party_account_linked"> = {
	en: (m) => ({
		subject: `An account at ${m.provider} was linked`,
		heading: `An account at ${m.provider} was linked`,
		blocks: [
			{
				kind: "text",
				text: `An account at ${m.provider} was linked to your account “${m.username}” on ${readableTime(m.at, "en")}. Whoever holds it can sign in as you.`,
			},
			{
				kind: "text",
				text: "If you do not know of it, somebody else may have your account: unlink it and change the password at once, and tell your administrator.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: `已关联 ${m.provider} 账号`,
		heading: `已关联 ${m.provider} 账号`,
		blocks: [
			{
				kind: "text",
				text: `您的账号“${m.username}”于 ${readableTime(m.at, "zh-CN")} 关联了一个 ${m.provider} 账号，持有该账号的人可以以您的身份登录。`,
			},
			{
				kind: "text",
				text: "如果您不知情，您的账号可能已被他人使用：请立即解除关联、修改密码并联系管理员。",
			},
		],
	}),
};
