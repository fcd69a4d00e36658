// The words of the page that sets a new password. English prose is in the HTML; here is what changes, and Chinese.

export const WORDS = {
	en: {
		working: "Setting the password…",
		gone: "This link is no longer valid: it was used already, it is older than 60 minutes, or a newer mail has replaced it. Ask for another where you sign in.",
		differ: "The two passwords are not the same. Type both again.",
		problems: {
			"password.too_short": "The password is too short: it needs at least 8 characters.",
			"password.too_long": "The password is too long: it may have at most 72 bytes.",
			"password.too_common": "This is one of the most common passwords. Choose another.",
			"password.breached": "This password is known from a data breach. Choose another.",
			"password.same_as_name": "The password must not be your username or e-mail address.",
			"request.invalid": "This cannot be a password: it holds characters that are none.",
		},
	},
	"zh-CN": {
		title: "设置新密码",
		intro: "请为您的账号设置新密码。设置后所有会话将退出登录，请使用新密码重新登录。",
		ruleLength: "至少 8 个字符。由几个词组成的密码好记且难猜。",
		ruleCommon: "不能是最常见的密码，也不能与用户名或邮箱相同。",
		ruleBytes: "最多 72 字节：72 个字母和数字，或约 24 个汉字。",
		password: "新密码",
		again: "再次输入新密码",
		reveal: "显示密码",
		safe: "打开本页面不会产生任何变化。如果要保留原密码，直接关闭页面即可。",
		set: "设置密码",
		doneTitle: "新密码已设置",
		doneIntro: "所有会话均已退出登录。请使用新密码登录；如已启用第二验证方式，仍需照常验证。",
		working: "正在设置密码…",
		gone: "该链接已失效：可能已被使用、已超过 60 分钟，或已被新的邮件取代。请在登录页面重新申请。",
		differ: "两次输入的密码不一致，请重新输入。",
		problems: {
			"password.too_short": "密码太短：至少需要 8 个字符。",
			"password.too_long": "密码太长：最多 72 字节。",
			"password.too_common": "这是最常见的密码之一，请换一个。",
			"password.breached": "该密码已在数据泄露事件中出现，请换一个。",
			"password.same_as_name": "密码不能与用户名或邮箱相同。",
			"request.invalid": "密码中含有无法使用的字符。",
		},
	},
};
