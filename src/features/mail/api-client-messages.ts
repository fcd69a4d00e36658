// What the mails about API clients say, to whoever asked for them.

import { readableTime, unlinked, type Wording } from "./wording.ts";

export const apiClientExpires: Wording<"api_client_expires"> = {
	en: (m) => ({
		subject: `Your API access expires soon: ${unlinked(m.clientName)}`,
		heading: "Your API access expires soon",
		blocks: [
			{ kind: "text", text: `Hello ${unlinked(m.ownerName)},` },
			{
				kind: "text",
				text: `The API credentials for “${unlinked(m.clientName)}” stop working at ${readableTime(m.expiresAt, "en")}. From then on every request signed with them is refused.`,
			},
			{
				kind: "text",
				text: "If you still need them, ask the administrators of the service to extend them in time. If not, there is nothing you need to do.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: `您的 API 接入即将到期：${unlinked(m.clientName)}`,
		heading: "您的 API 接入即将到期",
		blocks: [
			{ kind: "text", text: `${unlinked(m.ownerName)}，您好：` },
			{
				kind: "text",
				text: `“${unlinked(m.clientName)}”的 API 凭证将于 ${readableTime(m.expiresAt, "zh-CN")}失效。此后使用该凭证签名的请求都会被拒绝。`,
			},
			{
				kind: "text",
				text: "如果您仍需使用，请及时联系本服务的管理员延长有效期；如不再需要，则无需进行任何操作。",
			},
		],
	}),
};

export const apiClientSecretRotated: Wording<"api_client_secret_rotated"> = {
	en: (m) => ({
		subject: `The Secret of your API client was rotated: ${unlinked(m.clientName)}`,
		heading: "The Secret of your API client was rotated",
		blocks: [
			{ kind: "text", text: `Hello ${unlinked(m.ownerName)},` },
			{
				kind: "text",
				text: `A system that holds the Secret for “${unlinked(m.clientName)}” had it replaced by a new one at ${readableTime(m.at, "en")}, from the address ${m.ip}.`,
			},
			{
				kind: "text",
				text:
					m.previousExpiresAt === ""
						? "The old Secret stopped working at once."
						: `The old Secret still works until ${readableTime(m.previousExpiresAt, "en")}.`,
			},
			{
				kind: "text",
				text: "If this was not one of your systems, ask the administrators of the service at once to disable the client.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: `您的 API 客户端 Secret 已轮换：${unlinked(m.clientName)}`,
		heading: "您的 API 客户端 Secret 已轮换",
		blocks: [
			{ kind: "text", text: `${unlinked(m.ownerName)}，您好：` },
			{
				kind: "text",
				text: `持有“${unlinked(m.clientName)}”Secret 的系统已于 ${readableTime(m.at, "zh-CN")}从地址 ${m.ip} 将其更换为新的 Secret。`,
			},
			{
				kind: "text",
				text:
					m.previousExpiresAt === ""
						? "旧的 Secret 已立即失效。"
						: `旧的 Secret 在 ${readableTime(m.previousExpiresAt, "zh-CN")}之前仍然有效。`,
			},
			{
				kind: "text",
				text: "如果这不是您的系统所为，请立即联系本服务的管理员停用该客户端。",
			},
		],
	}),
};
