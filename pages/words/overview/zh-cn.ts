import { format } from "../format.ts";
import type en from "./en.ts";

export default {
	title: "概览",
	greeting: (name: string) => `当前登录：${name}。`,

	waiting: "待处理的访问申请",
	waitingCount: (count: number) => `有 ${format.number(count)} 个合作伙伴在等待审批，最早的申请排在最前。`,
	noneWaiting: "没有待处理的申请",
	noneWaitingText: "合作伙伴申请 API 访问后会显示在这里。",
	allRequests: "全部访问申请",
	project: "项目",
	applicant: "申请人",
	since: "提交时间",

	attention: "需要关注",
	nothing: "目前没有需要关注的事项。",
	expiringClients: (count: number, days: number) =>
		`${format.number(count)} 个 API 客户端将在 ${format.number(days)} 天内到期`,
	lockedPeople: (count: number) => `${format.number(count)} 名人员的账户被锁定`,
	failedMails: (count: number) => `${format.number(count)} 封邮件发送失败`,
	waitingMails: (count: number) => `${format.number(count)} 封邮件等待发送`,
	failingWebhooks: (count: number) => `${format.number(count)} 个 Webhook 投递失败或已因失败而停用`,

	activity: "活动情况",
	range: "时间范围",
	ranges: {
		"24h": "最近 24 小时",
		"7d": "最近 7 天",
		"30d": "最近 30 天",
		"90d": "最近 90 天",
		dates: "自定义日期",
	},
	from: "开始日期",
	to: "结束日期",
	utc: "日期以 UTC 为准。",
	hour: "时间",
	day: "日期",
	signIns: "登录",
	succeeded: "成功",
	refused: "被拒绝",
	calls: "合作伙伴的签名调用",
	answered: "已响应",
	reasons: "被拒绝的原因：",
	noneRefused: "没有被拒绝的记录。",
	more: (count: number) => `以及另外 ${format.number(count)} 种原因`,
} satisfies typeof en;
