// Words of the page about a program that no reviewer approved, in Chinese.

import type en from "./en.ts";

export default {
	title: "该程序需要审核",
	titles: {
		unknown: "该程序需要审核",
		rejected: "该程序已被拒绝",
		suspended: "该程序已暂停",
	},
	wants: (host: string) => `来自 ${host} 的程序请求为您登录。`,
	unread: (product: string) => `${product} 尚未读取该程序`,
	unreadText: "任何人都可以发布程序。您申请访问后，系统会读取一次其文档，并由审核员决定。",
	named: (name: string, host: string) => `它自称 ${name}。经过验证的只有主机 ${host}。`,
	apis: "该程序请求访问",
	noApis: "该程序不请求访问 API，仅用于登录。",
	reason: "您为什么需要它？",
	reasonHint: "审核员会阅读此说明。",
	reasonShort: (min: number) => `请至少填写 ${min} 个字符。`,
	ask: "申请访问",
	askAgain: "再次申请访问",
	notTaken: "您的组织不接受程序申请。请联系管理员。",
	waitingTitle: "正在等待审核",
	waiting: "已通知审核员。请保持此页面打开，批准后将自动继续。",
	waited: "尚未作出决定。您将收到邮件，届时请在程序中重新开始，或在此处查看。",
	lookAgain: "再次查看",
	rejected: "审核员拒绝了该程序",
	suspended: "该程序已暂停：其文档发生了变化，或由管理员暂停。请联系管理员。",
	deny: (host: string) => `取消并返回 ${host}`,
	approvedTitle: "已批准",
	approved: (host: string) => `来自 ${host} 的程序已获批准，即将继续。`,
	continue: "继续",
	gone: "此页面已过期。请从程序重新开始。",
} satisfies typeof en;
