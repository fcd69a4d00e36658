// Words of the sign-in page, in Chinese.

import type en from "./en.ts";

export default {
	username: "用户名或邮箱",
	usernameMissing: "请输入用户名或邮箱。",
	password: "密码",
	passwordMissing: "请输入密码。",
	signIn: "登录",
	noCookies: "登录需要使用 Cookie。请允许本站使用 Cookie，然后重新加载页面。",
	forgotten: "忘记密码？",
	or: "或",
	withPasskey: "使用通行密钥登录",
	withMailedCode: "使用邮件验证码登录",
	lastUsed: "上次使用",
	toApplication: (name: string) => `登录后继续使用 ${name}`,
	withProvider: (name: string) => `使用 ${name} 登录`,
	noAccount: "还没有账户？",
	createAccount: "立即注册",
	backTo: (name: string) => `返回 ${name}`,
} satisfies typeof en;
