// Words of the page that signs a person in on a device, in Chinese.

import type en from "./en.ts";

export default {
	title: "连接设备",
	lead: "请输入设备上显示的代码。",
	code: "代码",
	codeHint: "八个字母，不区分大小写，可含空格。",
	continue: "继续",
	questionTitle: "在您的设备上登录？",
	asks: (name: string) => `${name} 请求在显示以下代码的设备上为您登录：`,
	checkTitle: "这是您自己的设备吗？",
	check:
		"仅当您刚刚在面前的设备上亲自发起登录时才允许。如果代码或此页面由他人发给您，请拒绝，否则对方将进入您的账户。",
	requestedAt: "请求时间",
	requestedFrom: "来源地址",
	refuse: "拒绝",
	otherCode: "输入其他代码",
	allowedTitle: "请在设备上继续",
	allowedText: (name: string) => `${name} 将在几秒内于设备上为您登录。您可以关闭此页面。`,
	endsWithSession: "您在此处退出登录时，设备上的登录也会结束。",
	refusedTitle: "已拒绝",
	refusedText: (name: string) => `${name} 未获得访问您账户的权限。您可以关闭此页面。`,
} satisfies typeof en;
