// Chinese words of `/support`.

import type en from "./en.ts";

export default {
	title: "支持会话",
	intro: "您将查看此人所见的内容，但不能做任何更改。此人会收到邮件，其中包含您的姓名和原因。",
	open: "打开账号",
	noToken: "网址不完整。请重新创建支持会话。",
	bar: (supporter, person) => `${supporter} 正在查看 ${person} 的账号`,
	until: "截止时间",
	end: "结束",
	endedTitle: "支持会话已结束",
	endedText: "您可以关闭此页面。",
	profile: "个人资料",
	username: "用户名",
	emailVerified: "邮箱已验证",
	secondFactor: "双重验证",
	lastSignIn: "上次登录",
	never: "从未",
	yes: "是",
	no: "否",
	applicationText: "会话结束前，您在此浏览器中以此人的身份查看该应用。",
	openApplication: "打开应用",
	access: "应用",
	noRoles: "没有角色",
	requests: "访问申请",
	statuses: { pending: "等待审核", approved: "已批准", rejected: "已拒绝", withdrawn: "已撤回" },
} satisfies typeof en;
