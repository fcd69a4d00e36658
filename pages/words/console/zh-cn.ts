import type en from "./en.ts";

export default {
	noRole: "您没有控制台角色",
	noRoleText: "控制台面向管理员、审核员和审计员。您的个人账户在另一个页面。",
	sections: {
		work: "",
		people: "人员与访问",
		partners: "合作伙伴",
		record: "记录",
		settings: "设置",
		installation: "系统",
	},
	screens: {
		overview: "概览",
		people: "人员",
		groups: "群组",
		applications: "应用",
		requests: "访问申请",
		clients: "API 客户端",
		audit: "审计日志",
		mail: "邮件",
		webhooks: "Webhook",
		providers: "登录提供方",
		branding: "品牌",
		keys: "管理密钥",
		tenants: "租户",
		installation: "系统状态",
	},
	shortcuts: {
		title: "键盘快捷键",
		search: "搜索此列表",
		help: "显示快捷键",
		use: "启用快捷键",
		useHint: "使用语音输入时可以关闭。在输入框中键入时快捷键不会生效。",
	},
} satisfies typeof en;
