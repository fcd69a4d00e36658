// Words of a field for a new password, in Chinese.

import type en from "./en.ts";

export default {
	rules:
		"8 个字符至 72 字节（约 24 个汉字），用几个词组成的密码好记且难猜。不能是常见密码，也不能与用户名或邮箱相同。",
} satisfies typeof en;
