import type en from "./en.ts";

export default {
	help: "帮助",
	signedInAs: (username: string) => `当前登录账户：${username}。`,
} satisfies typeof en;
