// Words of the pages that end a session for an application, in Chinese.

import type en from "./en.ts";

export default {
	title: "退出登录？",
	asks: (name: string) => `${name} 请求让您退出登录。`,
	meansAnother: "该应用想要退出的是另一个账户，而不是当前账户。",
	whatEnds: "之后，您将从此处以及从此处进入的所有应用中退出。",
	stay: "保持登录",
	gone: "本次询问已结束：已超时。请从应用重新开始。",
	doneTitle: "您已退出登录",
	doneText: "您的会话已结束，可以关闭此窗口。",
	keptTitle: "您仍处于登录状态",
	keptText: "没有结束任何会话，可以关闭此窗口。",
	account: "您的账户",
} satisfies typeof en;
