// Words of the pages that mailed links lead to, in Chinese.

import type en from "./en.ts";

export default {
	incomplete: "页面地址不完整。请重新打开邮件中的链接，或将完整链接复制到地址栏。",
	toSignIn: "前往登录",

	reset: {
		title: "设置新密码",
		text: "设置后所有会话将退出登录，请使用新密码重新登录。",
		password: "新密码",
		set: "设置密码",
		safe: "打开本页面不会产生任何变化。如果要保留原密码，直接关闭页面即可。",
		gone: "该链接已失效：可能已被使用、已超过 60 分钟，或已被新的邮件取代。请在登录页面重新申请。",
		doneTitle: "新密码已设置",
		done: "所有会话均已退出登录。请使用新密码登录；如已启用第二验证方式，仍需照常验证。",
	},

	invite: {
		title: "接受邀请",
		text: "管理员已为您创建账户。请设置密码以接受邀请。",
		password: "密码",
		displayName: "姓名",
		accept: "接受邀请",
		safe: "打开本页面不会产生任何变化。如果您没有预期收到邀请，直接关闭页面即可。",
		gone: "该链接已失效：可能已被使用、已超过 7 天，或已被新的邮件取代。请联系管理员重新发送。",
	},

	restoreEmail: {
		title: "取回您的账户",
		text: "您账户的邮箱已被更改。如果不是您本人所为，请取回账户：",
		consequences: [
			"邮箱将恢复为此邮箱。",
			"所有会话退出登录。",
			"原密码失效，并会向您发送设置新密码的链接。",
		],
		restore: "取回账户",
		safe: "打开本页面不会产生任何变化。如果邮箱是您本人更改的，直接关闭页面即可。",
		gone: "该链接已失效：可能已被使用，或已超过 7 天。如果您的账户正被他人使用，请立即联系本服务的管理员。",
		doneTitle: "您的账户已取回",
		done: "请查看邮箱：设置新密码的链接即将送达。",
	},
} satisfies typeof en;
