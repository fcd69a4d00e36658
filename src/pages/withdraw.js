// The withdraw page: one press takes a pending access request back.

import { show, translate } from "./page.js";
import { offerPress } from "./press.js";

const WORDS = {
	en: {
		working: "Withdrawing…",
		gone: "There is nothing to withdraw: this link is not valid, or the request was withdrawn or decided already.",
	},
	"zh-CN": {
		title: "撤回接入申请",
		intro: "您的 API 接入申请将被撤回，不再进入审核。撤回后无法恢复，但您可以随时重新提交申请。",
		safe: "打开本页面不会产生任何变化。如果要保留申请，直接关闭页面即可。",
		withdraw: "撤回申请",
		doneTitle: "您的申请已撤回",
		doneIntro: "无需其他操作，您可以关闭本页面。",
		working: "正在撤回…",
		gone: "没有可以撤回的申请：链接无效，或者申请已被撤回或已有审核结果。",
	},
};

offerPress("/api/v1/access-requests/withdraw", translate(WORDS), () => {
	document.querySelector("#start").hidden = true;
	show(document.querySelector("#result"));
});
