// What the mails about access requests say.

import type { Block } from "./layout.ts";
import { readableTime, unlinked, type Wording } from "./wording.ts";

export const accessRequestReceipt: Wording<"access_request_receipt"> = {
	en: (m) => ({
		subject: `We received your access request: ${unlinked(m.projectName)}`,
		heading: "We received your access request",
		blocks: [
			{ kind: "text", text: `Hello ${unlinked(m.applicantName)},` },
			{
				kind: "text",
				text: `Your request for API access for “${unlinked(m.projectName)}” has arrived and is waiting for review. We will write to this address once it is decided; there is nothing you need to do.`,
			},
			{
				kind: "text",
				text: "If you did not make this request, or no longer need it, you can withdraw it on this page:",
			},
			{ kind: "action", label: "Withdraw the request", url: m.withdrawUrl },
		],
	}),
	"zh-CN": (m) => ({
		subject: `我们已收到您的接入申请：${unlinked(m.projectName)}`,
		heading: "我们已收到您的接入申请",
		blocks: [
			{ kind: "text", text: `${unlinked(m.applicantName)}，您好：` },
			{
				kind: "text",
				text: `您为“${unlinked(m.projectName)}”提交的 API 接入申请已收到，正在等待审核。审核结果会发送到本邮箱，您无需进行其他操作。`,
			},
			{ kind: "text", text: "如果这不是您本人提交的申请，或者您不再需要它，可以在以下页面撤回：" },
			{ kind: "action", label: "撤回申请", url: m.withdrawUrl },
		],
	}),
};

export const accessRequestNotice: Wording<"access_request_notice"> = {
	en: (m) => ({
		subject: `Access request to review: ${unlinked(m.projectName)}`,
		heading: "A new access request is waiting for review",
		blocks: [
			{
				kind: "facts",
				rows: [
					["Project", unlinked(m.projectName)],
					["Applicant", unlinked(m.applicantName)],
					["E-mail", m.email],
					["Company", m.company === "" ? "–" : unlinked(m.company)],
					["Request ID", m.requestId],
				],
			},
			{ kind: "quote", label: "Purpose", text: unlinked(m.purpose) },
			{
				kind: "small",
				text: "The applicant entered all of this without signing in, and nobody has verified the e-mail address yet.",
			},
		],
	}),
	"zh-CN": (m) => ({
		subject: `待审核的接入申请：${unlinked(m.projectName)}`,
		heading: "有一份新的接入申请等待审核",
		blocks: [
			{
				kind: "facts",
				rows: [
					["项目", unlinked(m.projectName)],
					["申请人", unlinked(m.applicantName)],
					["邮箱", m.email],
					["公司", m.company === "" ? "–" : unlinked(m.company)],
					["申请编号", m.requestId],
				],
			},
			{ kind: "quote", label: "用途", text: unlinked(m.purpose) },
			{ kind: "small", text: "以上内容由申请人在未登录的情况下填写，邮箱地址尚未经过验证。" },
		],
	}),
};

export const accessRequestApproved: Wording<"access_request_approved"> = {
	en: (m) => ({
		subject: `Your access request was approved: ${unlinked(m.projectName)}`,
		heading: "Your access request was approved",
		blocks: [
			{ kind: "text", text: `Hello ${unlinked(m.applicantName)},` },
			{
				kind: "text",
				text: `Your request for API access for “${unlinked(m.projectName)}” was approved. Collect your credentials on this page:`,
			},
			{ kind: "action", label: "Collect the credentials", url: m.claimUrl },
			{
				kind: "text",
				text: `The link works once, until ${readableTime(m.claimExpiresAt, "en")}. Opening the page uses nothing up; pressing the button there creates the Secret and shows it that one time. Have a safe place ready for it, and do not forward this mail.`,
			},
			...reviewNote("Note from the reviewer", m.reviewNote),
		],
	}),
	"zh-CN": (m) => ({
		subject: `您的接入申请已通过：${unlinked(m.projectName)}`,
		heading: "您的接入申请已通过",
		blocks: [
			{ kind: "text", text: `${unlinked(m.applicantName)}，您好：` },
			{
				kind: "text",
				text: `您为“${unlinked(m.projectName)}”提交的 API 接入申请已通过审核。请在以下页面领取凭证：`,
			},
			{ kind: "action", label: "领取凭证", url: m.claimUrl },
			{
				kind: "text",
				text: `该链接仅可使用一次，有效期至 ${readableTime(m.claimExpiresAt, "zh-CN")}。仅打开页面不会使链接失效；点击页面上的按钮后才会生成 Secret，并且只显示这一次。请提前准备好安全的保存位置，不要转发本邮件。`,
			},
			...reviewNote("审核备注", m.reviewNote),
		],
	}),
};

export const accessRequestRejected: Wording<"access_request_rejected"> = {
	en: (m) => ({
		subject: `Your access request was not approved: ${unlinked(m.projectName)}`,
		heading: "Your access request was not approved",
		blocks: [
			{ kind: "text", text: `Hello ${unlinked(m.applicantName)},` },
			{
				kind: "text",
				text: `Your request for API access for “${unlinked(m.projectName)}” was reviewed and not approved.`,
			},
			...reviewNote("Note from the reviewer", m.reviewNote),
			{ kind: "text", text: "You are welcome to submit a new request that takes this into account." },
		],
	}),
	"zh-CN": (m) => ({
		subject: `您的接入申请未通过：${unlinked(m.projectName)}`,
		heading: "您的接入申请未通过审核",
		blocks: [
			{ kind: "text", text: `${unlinked(m.applicantName)}，您好：` },
			{ kind: "text", text: `您为“${unlinked(m.projectName)}”提交的 API 接入申请经审核未获通过。` },
			...reviewNote("审核备注", m.reviewNote),
			{ kind: "text", text: "您可以根据审核意见调整后重新提交申请。" },
		],
	}),
};

function reviewNote(label: string, note: string): Block[] {
	return note === "" ? [] : [{ kind: "quote", label, text: note }];
}
