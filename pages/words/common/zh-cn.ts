import type en from "./en.ts";

export default {
	product: "Latchkey",
	signIn: "登录",
	signOut: "退出登录",
	console: "控制台",
	account: "我的账户",
	documentation: "API 文档",
	theme: "外观",
	themeSystem: "外观：跟随系统",
	themeLight: "外观：浅色",
	themeDark: "外观：深色",
	sessionEnded: "会话已结束",
	sessionEndedText: "请重新登录以继续。您输入的内容会保留。",
	otherUser: (used: string, ended: string) =>
		`您使用了 ${used} 的账户登录。此页面的内容属于 ${ended}，请以 ${ended} 的身份登录。`,
	otherWays: "其他登录方式",
	notFound: "页面不存在",
	notFoundText: "地址可能有误，或其内容已被删除。",
	questions: "有疑问？",
	failed: "无法显示此内容",
} satisfies typeof en;
