// Words of the registration, in Chinese.

import type en from "./en.ts";

export default {
	title: "注册账户",
	text: "我们会向您的邮箱发送验证码，以确认该邮箱属于您。",
	forApplication: (name: string) => `注册后继续使用 ${name}`,
	haveAccount: "已有账户？",
	closed: "此处的新账户由管理员开通。",
	email: "邮箱",
	sendCode: "发送验证码",

	codeTitle: "输入验证码",
	codeSent: (email: string) => `验证码正在发送至 ${email}，10 分钟内有效。`,
	codeSentAgain: "新的验证码正在发送，之前的验证码已失效。",
	code: "邮件中的验证码",
	continue: "继续",

	enterCodeAgain: "重新输入验证码",
	accountTitle: "创建您的账户",
	username: "用户名",
	usernameRule: "3 至 64 个字母、数字、点、连字符或下划线。",
	password: "密码",
	displayName: "姓名",
	create: "创建账户",
	resend: "重新发送验证码",
	resendIn: (seconds: number) => `${seconds} 秒后可重新发送`,
	otherAddress: "使用其他邮箱",
} satisfies typeof en;
