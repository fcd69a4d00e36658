// The page that takes an account back: one press puts the former e-mail address back.

import { show, translate } from "./page.js";
import { offerPress } from "./press.js";

const WORDS = {
	en: {
		working: "Taking it back…",
		gone: "This link is no longer valid: it was used already, or it is older than 7 days. If somebody else has your account, tell an administrator of the service at once.",
	},
	"zh-CN": {
		title: "取回您的账号",
		intro:
			"您账号的邮箱已被更改。如果不是您本人所为，请点击按钮：邮箱将恢复为此邮箱，所有会话退出登录，原密码失效，并会向您发送设置新密码的链接。",
		safe: "打开本页面不会产生任何变化。如果邮箱是您本人更改的，直接关闭页面即可。",
		restore: "取回账号",
		doneTitle: "您的账号已取回",
		doneIntro: "请查看邮箱：设置新密码的链接即将送达。",
		working: "正在取回…",
		gone: "该链接已失效：可能已被使用，或已超过 7 天。如果您的账号正被他人使用，请立即联系本服务的管理员。",
	},
};

offerPress("/api/v1/auth/email/restore", translate(WORDS), () => {
	document.querySelector("#start").hidden = true;
	show(document.querySelector("#result"));
});
