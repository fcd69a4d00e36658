// Texts of errors while signing in, in Chinese, by code; others have that of `api-errors`.

import type en from "./en.ts";

export default {
	"mfa.invalid": "验证未通过：验证码错误或已使用过，或本次登录已超时。错误五次后需重新开始。",
	"passkey.cancelled": "未使用通行密钥。请重试，或换一种登录方式。",
	"passkey.unusable": "此浏览器无法在此使用通行密钥。请换一种登录方式。",
	"mfa.required": "此应用要求双重验证，请重新登录。",
	"interaction.not_found": "本次登录已结束：已超时或已完成。请从应用重新开始。",
	"interaction.other_tenant": "您登录的是另一个组织。请使用此应用所属组织的账户。",
	"application.not_found":
		"您打开的链接无效：应用不存在，或其地址未登记。未向其发送任何信息。请联系应用的运营方。",
	"device.not_found": "代码错误、已使用或已过期。请再看一下设备上的代码，或在设备上重新开始。",
	"tenant.not_found": "您打开的链接无效：该组织不存在。",
	"ticket.invalid": "登录超时或已使用过，请重新登录。",
	"provider.access_denied": "您在登录服务方处取消了登录。",
	"provider.provider_error": "登录服务方未能完成登录。请稍后重试，或换一种登录方式。",
	"provider.account_exists": "您的邮箱已有账户。请先用密码登录，然后在账户中关联此登录方式。",
	"provider.sign_up_not_allowed": "该账号未关联任何账户。请联系管理员开通账户。",
	"provider.account_disabled": "此账户已停用。",
	"provider.no_access": "您没有访问此应用的权限。",
} satisfies typeof en as typeof en;
