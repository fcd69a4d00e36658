// Words of the later steps of a sign-in, in Chinese.

import type en from "./en.ts";

export default {
	secondFactorTitle: "请确认是您本人",
	factorText: {
		totp: "请输入身份验证器应用当前显示的六位数字。",
		passkey: "请使用您的通行密钥：指纹、面容、PIN 或安全密钥。",
		recovery_code: "请输入一个恢复代码。每个代码只能使用一次。",
	},
	useInstead: {
		totp: "改用身份验证器应用",
		passkey: "改用通行密钥",
		recovery_code: "改用恢复代码",
	},
	code: "验证码",
	recoveryCode: "恢复代码",
	usePasskey: "使用通行密钥",
	continue: "继续",
	restart: "重新开始",
	noFactorHere: "此浏览器无法使用您的通行密钥。请换用其他浏览器或设备登录。",

	forgottenTitle: "重设密码",
	forgottenText: "请输入账户的邮箱地址，我们会向您发送重设密码的链接。",
	email: "邮箱地址",
	sendLink: "发送链接",
	linkSentTitle: "请查看邮箱",
	linkSent: (email: string) =>
		`如果 ${email} 对应某个账户，链接正在发送途中。链接在 60 分钟内有效，只能使用一次。没有收到？请检查垃圾邮件文件夹。`,
	backToSignIn: "返回登录",
	signedInAs: (username: string) => `当前登录账户：${username}。`,
	otherAccount: "使用其他账户",
	signInAgain: "重新登录",

	enrolment: {
		title: "保护您的账户",
		text: "此处需要双重验证。请选择一种方式，只需一分钟。",
		passkey: "通行密钥",
		passkeyOption: "指纹、面容、PIN 或安全密钥",
		app: "身份验证器应用",
		appOption: "手机应用上显示的六位数字",
		otherWay: "选择其他方式",

		appTitle: "设置身份验证器应用",
		scan: "请用身份验证器应用扫描此二维码，然后输入应用显示的六位数字。",
		qrLabel: "身份验证器应用的二维码，与下方的文本密钥相同",
		openApp: "在本设备上：打开应用",
		secret: "或手动输入此密钥",
		code: "应用显示的验证码",
		confirm: "确认",

		passkeyTitle: "添加通行密钥",
		passkeyText: "浏览器会请您验证指纹、面容、PIN 或安全密钥。",
		passkeyName: "通行密钥名称",
		passkeyNameHint: "便于日后辨认，例如设备名称。",
		passkeyNameDefault: "我的通行密钥",
		addPasskey: "添加通行密钥",

		codesTitle: "请保存恢复代码",
		codesText: "如果无法使用第二验证方式，每个恢复代码可用于登录一次。",
		codesOnce: "恢复代码仅显示这一次。请保存或打印，并妥善保管在只有您能找到的地方。",
		codesFile: "recovery-codes.txt",
		codesFileTitle: (host: string) => `${host} 的恢复代码。每个代码只能使用一次。`,
		codesSaved: "我已保存",
	},
} satisfies typeof en;
