import type en from "./en.ts";

export default {
	title: "您是否仍需要 API 接入？",
	intro: "管理员正在审查哪些系统可以访问其 API。您的回复供他们决定时参考，本身不会产生任何变化。",
	client: "API 客户端",
	due: "作出决定的截止时间",
	question: "您的回复",
	answers: { needed: "是，仍然需要", not_needed: "否，不再需要" },
	reason: "原因",
	send: "发送回复",
	noToken: "页面地址不完整。请重新打开邮件中的链接，或将完整链接复制到地址栏。",
	gone: "没有可以回复的内容：链接无效，或审查已关闭。",
	doneTitle: "谢谢",
	doneText: "管理员会看到您的回复。在审查关闭前，您可以用同一链接更改回复。",
} satisfies typeof en;
