import { format } from "../format.ts";
import type en from "./en.ts";

export default {
	title: "申请 API 访问权限",
	intro: "请告诉审核人员您是谁、打算开发什么。只需两分钟，无需注册账户。",
	noTenant: "这里没有这个组织",
	noTenantText: (slug: string) => `没有简称为“${slug}”的组织。请向提供此地址的人确认正确的地址。`,
	labels: {
		applicant_name: "您的姓名",
		email: "邮箱",
		company: "公司",
		project_name: "项目名称",
		purpose: "您将如何使用 API？",
	},
	emailHint: "申请回执和审核结果将发送到此邮箱。",
	projectHint: "您的应用将使用此名称。",
	purposeHint:
		"请说明产品用途、需要读取的数据和预计的调用量。如果您的服务器使用固定的公网 IP 地址，请一并列出，审核人员可以将凭证限制为仅允许这些地址使用。",
	send: "提交申请",
	missing: {
		applicant_name: "请输入您的姓名。",
		email: "请输入邮箱。",
		company: "请输入公司名称。",
		project_name: "请输入项目名称。",
		purpose: "请说明您将如何使用 API。",
	},
	tooLong: (limit: number) => `最多 ${format.number(limit)} 个字符，请精简内容。`,
	noAddress: "请输入一个由 ASCII 字符组成的邮箱，例如 name@example.com。",
	pendingExists: "该邮箱已有一份申请正在审核中。请等待审核结果，或先通过回执邮件中的链接撤回该申请。",
	stepsTitle: "后续流程",
	stepDone: "已完成",
	steps: [
		{ title: "提交申请", text: "每个邮箱同一时间只能有一份待审核的申请。" },
		{
			title: "人工审核",
			text: "您会立即收到回执邮件，其中的链接可用于撤回申请；如果提供测试客户端，还会有创建它的链接，您无需等待审核即可开始。",
		},
		{
			title: "邮件通知审核结果",
			text: "审核通过后，邮件中会附有一个 7 天内有效的链接，打开后可领取凭证，凭证仅显示一次。",
		},
		{ title: "完成首次签名调用", text: "领取页面会引导您完成调用，并提供您所用语言的示例代码。" },
	],
	signingGuide: "了解请求签名方式",
	receivedTitle: "申请已收到",
	receivedIntro: "审核人员将处理您的申请，您可以关闭此页面。",
	mailedTitle: "回执邮件已发出",
	mailedTo: "收件地址：",
	mailedText: "如果几分钟内没有收到，请检查垃圾邮件文件夹；审核结果也会由同一发件人发送。",
	sentTitle: "您提交的内容",
	sentAt: "提交时间",
	requestId: "申请编号（咨询时请提供）",
	readGuide: "为首次调用做准备",
	another: "再提交一份申请",
} satisfies typeof en;
