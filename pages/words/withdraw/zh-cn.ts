import type en from "./en.ts";

export default {
	title: "撤回接入申请",
	intro: "您的 API 接入申请将被撤回，不再进入审核。撤回后无法恢复，但您可以随时重新提交申请。",
	project: "项目名称",
	applicant: "您的姓名",
	company: "公司",
	status: "状态",
	waiting: "等待审核",
	sentAt: "提交时间",
	safe: "打开本页面不会产生任何变化。如果要保留申请，直接关闭页面即可。",
	withdraw: "撤回申请",
	noToken: "页面地址不完整。请重新打开邮件中的链接，或将完整链接复制到地址栏。",
	gone: "没有可以撤回的申请：链接无效，或者申请已被撤回或已有审核结果。",
	noAnswer: "未收到服务的响应。请检查网络后再次点击按钮。",
	doneTitle: "您的申请已撤回",
	doneText: "无需其他操作，您可以关闭本页面。",
	newRequest: "重新提交申请",
} satisfies typeof en;
