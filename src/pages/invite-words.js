// The words of the page that accepts an invitation. English prose is in the HTML; here is what changes, and Chinese.

export const WORDS = {
	en: {
		working: "Accepting…",
		gone: "This link is no longer valid: it was used already, it is older than 7 days, or a newer mail has replaced it. Ask an administrator for another.",
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
		title: "接受邀请",
		intro: "管理员已为您创建账号。请设置密码以接受邀请，之后使用该密码登录。",
		ruleLength: "至少 8 个字符。由几个词组成的密码好记且难猜。",
		ruleCommon: "不能是最常见的密码，也不能与用户名或邮箱相同。",
		ruleBytes: "最多 72 字节：72 个字母和数字，或约 24 个汉字。",
		password: "密码",
		again: "再次输入密码",
		reveal: "显示密码",
		safe: "打开本页面不会产生任何变化。如果您并未期待此邀请，直接关闭页面即可。",
		accept: "接受邀请",
		doneTitle: "您的账号已可使用",
		doneIntro: "请使用用户名或邮箱及密码登录，可能需要第二验证方式。",
		working: "正在接受邀请…",
		gone: "该链接已失效：可能已被使用、已超过 7 天，或已被新的邮件取代。请联系管理员重新发送。",
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
