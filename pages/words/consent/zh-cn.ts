// Words of the page that asks for consent, in Chinese.

import type en from "./en.ts";

export default {
	title: "允许访问？",
	asks: (name: string) => `${name} 请求访问您的账户。`,
	runsAt: (host: string) => `该应用运行于 ${host}。`,
	itGets: "该应用将获得",
	scopes: {
		openid: "您在此处固定不变的用户 ID",
		profile: "您的用户名、姓名、头像和语言",
		email: "您的邮箱",
		roles: "您在该应用中的角色、权限和群组",
		offline_access: "在您离开后仍可获得以上内容",
	},
	api: (name: string, address: string) => `以您在 ${name}（${address}）中的角色代表您使用它`,
	apiOnly: (name: string, address: string) => `代表您在 ${name}（${address}）中，仅限：`,
	resource: (address: string) => `代表您访问 ${address}`,
	program: {
		host: "程序所在主机",
		returnsTo: "接收登录结果的主机",
		onDevice: "这台计算机上的程序。Latchkey 无法验证是哪一个程序。",
		otherHost: (host: string) => `登录结果会发送到程序以外的主机：${host}。`,
	},
	app: {
		scheme: "接收登录结果的协议",
		onDevice: "此设备上打开这类链接的应用。Latchkey 无法验证是哪一个应用。",
	},
	onlyYours: "仅当您刚刚亲自发起此操作时才允许。",
	onlyOnce: "之后不会就相同内容再次询问。",
	allow: "允许",
	otherAccount: "使用其他账户",
} satisfies typeof en;
