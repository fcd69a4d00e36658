import { format } from "../format.ts";
import type en from "./en.ts";

export default {
	title: "为什么被拒绝？",
	description:
		"API 客户端、OAuth 客户端以及网关处被拒绝的调用。调用方可在响应的 X-Request-Id 或 Latchkey-Request-Id 中找到请求 ID。",
	requestId: "请求 ID",
	code: "错误码",
	subject: "拒绝对象",
	anySubject: "全部",
	subjects: { api_client: "API 客户端", oauth_client: "OAuth 客户端", gate: "网关" },
	period: (from: string, to: string) => `仅显示 ${from} 至 ${to} 的调用。`,
	nothing: "未找到被拒绝的调用",
	nothingText: "被拒绝的调用会在几秒后显示，保留 30 天，每种错误码只保留最新的若干条。",
	cards: {
		api_client: {
			title: "被拒绝的调用",
			text: "按原因分组，最近的在前。展开可查看含义。",
			none: "最近 30 天没有被拒绝的调用。",
			kept: "最近 30 天的调用，每类最多 20 条，总共最多 100 条，会延迟几秒出现。",
		},
		oauth_client: {
			title: "被拒绝的登录",
			text: "按原因分组，最近的在前。任何知道客户端 ID 的人都可能发送这些请求。",
			none: "最近 30 天没有被拒绝的请求。",
			kept: "最近 30 天的请求，每类最多 20 条，总共最多 100 条，会延迟几秒出现。",
		},
		gate: {
			title: "被拒绝的请求",
			text: "按原因分组，最近的在前。展开可查看含义。",
			none: "最近 30 天没有被拒绝的请求。",
			kept: "最近 30 天内最新的请求，会延迟几秒出现。",
		},
	},
	allRefusals: "查看全部",
	reload: "刷新",
	whatToDo: "处理方法：",
	repairs: {
		offer: {
			allow: (ip: string) => `将 ${ip} 加入允许的地址`,
			enable: () => "启用客户端",
			extend: () => "延长有效期",
			resend: () => "重新发送链接",
		},
		title: {
			allow: (ip: string) => `将 ${ip} 加入允许的地址？`,
			enable: () => "启用客户端？",
			extend: () => "延长有效期？",
			resend: () => "重新发送链接？",
		},
		text: {
			allow: (name: string) =>
				`之后，${name} 也可以从此地址调用。请先向合作伙伴确认：持有 Secret 的任何人都可能发送了这些调用。`,
			enable: (name: string) => `服务将重新接受 ${name} 的调用。`,
			extend: (name: string) => `在最后一天结束之前，服务将重新接受 ${name} 的调用。`,
			resend: (name: string, email: string) => `${email} 将收到领取 ${name} 凭据的新链接，之前的链接将失效。`,
		},
		submit: { allow: "加入", enable: "启用", extend: "延长", resend: "发送" },
		done: {
			allow: (name: string, ip: string) => `${name} 现在可以从 ${ip} 调用。`,
			enable: (name: string) => `${name} 已启用。`,
			extend: (name: string) => `${name} 的有效期已延长。`,
			resend: (name: string) => `正在发送领取 ${name} 的新链接。`,
		},
		notNeeded: (name: string) => `原因已不存在：${name} 在这些调用之后已更改，其页面显示当前设置。`,
	},
	pkce: {
		usual: (library: string) => `此重定向 URI 是 ${library} 的常用地址，在其中应设置：`,
		guide: "各个库的设置",
	},
	unproven: (count: number) =>
		`其中 ${format.number(count)} 次没有证明调用方身份：任何知道 API Key 或客户端 ID 的人都可能发起。`,
	at: "时间",
	call: "调用",
	concerns: "相关记录",
	rule: "规则",
	caller: "调用方",
	detail: "详情",
	from: "来源地址",
	explainThis: "诊断签名",
	otherReason: {
		title: "因其他错误码被拒绝",
		meaning: "调用因该错误码被拒绝。",
		todo: "请在 API 文档的错误码列表中查找该错误码。",
	},
	reasons: {
		"signature.mismatch": {
			title: "签名不匹配",
			meaning: "客户端签名的内容与收到的不同，或使用了其他 Secret。",
			todo: "请使用签名诊断。常见原因是签名后修改了请求体、查询参数或 Secret，或代理改写了路径。",
		},
		"signature.headers": {
			title: "签名请求头缺失或格式错误",
			meaning: "六个签名请求头中有一个缺失、重复或格式不正确。",
			todo: "每个请求头只发送一次。调用的响应会指出有问题的请求头。",
		},
		"signature.timestamp": {
			title: "客户端时钟不准",
			meaning: "X-Timestamp 与服务端时钟相差超过 300 秒。",
			todo: "请用 NTP 校准客户端时钟，并在发送前才签名。",
		},
		"nonce.reused": {
			title: "同一请求发送了两次",
			meaning: "X-Nonce 已被使用。客户端重发请求时没有重新签名，或有人重放了请求。",
			todo: "每次尝试（包括超时后）都要生成新的 nonce 并重新签名。",
		},
		"ip.not_allowed": {
			title: "来源地址不被允许",
			meaning: "签名正确，但来源地址不在列表中。",
			todo: "如果该地址属于合作伙伴，请将其加入允许的地址；否则请立即更换 Secret。",
		},
		"scope.missing": {
			title: "缺少权限范围",
			meaning: "调用方没有该功能或规则所要求的权限范围。",
			todo: "如果调用方确有需要，请添加该范围。程序必须在新的登录中申请它。",
		},
		"client.unknown": {
			title: "API Key 未知",
			meaning: "没有客户端使用所发送的 API Key。",
			todo: "请与控制台中显示的 API Key 核对。",
		},
		"client.disabled": {
			title: "客户端已停用",
			meaning: "该客户端已被停用，但仍在调用。",
			todo: "请启用它，或通知合作伙伴停止调用。",
		},
		"client.expired": {
			title: "客户端已过期",
			meaning: "该客户端已过期，但仍在调用。",
			todo: "请延长期限，或通知合作伙伴停止调用。",
		},
		"client.unclaimed": {
			title: "凭证尚未领取",
			meaning: "客户端还没有 Secret，有人使用其 API Key 发起了调用。",
			todo: "请在接入申请中重新发送链接。",
		},
		"client.application_disabled": {
			title: "应用已停用",
			meaning: "该客户端所属的应用已停用，其所有客户端都会被拒绝。",
			todo: "请启用该应用。",
		},
		"client.other_tenant": {
			title: "租户 ID 错误",
			meaning: "X-Tenant-ID 不是该客户端所属的租户。",
			todo: "请使用客户端页面上显示的租户 ID。",
		},
		"client.other_application": {
			title: "应用 ID 错误",
			meaning: "X-App-ID 不是该客户端所属的应用。",
			todo: "请使用客户端页面上显示的应用 ID。",
		},
		"request.invalid": {
			title: "输入无效",
			meaning: "签名正确，但请求体中的某个字段缺失或无效。",
			todo: "调用的响应会指出该字段。",
		},
		"request.too_many": {
			title: "请求过多",
			meaning: "该 IP 地址或客户端在一分钟内的请求数超过了限制。",
			todo: "请按 Retry-After 等待。如果经常如此，请分散请求或缓存响应。",
		},
		"user.not_found": {
			title: "用户不存在",
			meaning: "签名正确，但所查询的用户不存在。",
			todo: "如果用户已删除则无需处理，否则请检查客户端发送的 ID。",
		},
		"transport.https_required": {
			title: "调用没有使用 HTTPS",
			meaning: "调用通过明文 HTTP 到达，或经过了服务不信任的代理。",
			todo: "请使用 https 网址。如果由代理终止 TLS，请将其地址加入 LATCHKEY_TRUSTED_PROXIES。",
		},
		"token.missing": {
			title: "请求没有表明调用方",
			meaning: "请求既没有签名，也没有令牌和会话。",
			todo: "请对请求签名、发送访问令牌或先登录。如果任何人都可以调用该路径，请将其规则的要求设为 public。",
		},
		"token.invalid": {
			title: "令牌无效",
			meaning: "访问令牌格式错误、已过期，或是为其他用途签发的。",
			todo: "请获取新的令牌，并指定此 API 的资源。",
		},
		"token.unverified": {
			title: "令牌不是由本服务签发的",
			meaning: "访问令牌的签名错误，或其密钥不属于本服务。",
			todo: "请从本服务获取令牌，并原样发送。",
		},
		"token.expired": {
			title: "令牌已过期",
			meaning: "调用方在访问令牌过期后仍在使用它。",
			todo: "请在旧令牌过期之前用刷新令牌获取新的令牌。",
		},
		"session.ended": {
			title: "会话已结束",
			meaning: "该人员已退出登录，或会话已被撤销或过期。",
			todo: "请重新登录。",
		},
		"mfa.required": {
			title: "缺少双重验证",
			meaning: "该规则要求人员在登录时完成双重验证。",
			todo: "请使用双重验证重新登录。尚未设置的人员可在自己的账户页面添加。",
		},
		"application.access_denied": {
			title: "调用方没有访问权限",
			meaning: "调用方已被识别，但无权使用该应用，或没有角色赋予规则所要求的权限。",
			todo: "请在应用页面授予访问权限，或授予拥有该权限的角色。",
		},
		"application.disabled": {
			title: "应用已停用",
			meaning: "已停用的应用会拒绝所有调用。",
			todo: "请启用该应用。",
		},
		"gate.no_rule": {
			title: "没有匹配的规则",
			meaning: "网关会拒绝没有规则的方法和路径。",
			todo: "如果该路径应当可以访问，请添加规则。可用“测试请求”查看适用的规则。",
		},
		"gate.path": {
			title: "路径有歧义",
			meaning: "不同程序对该路径的理解不同，例如经过编码的斜杠或连续的斜杠。",
			todo: "请使用普通形式的路径。",
		},
		"gate.request": {
			title: "代理的询问不完整",
			meaning: "发给网关的请求缺少描述调用的请求头，或重复了请求头。",
			todo: "请将代理配置与“接入您的 API”中的配置核对。",
		},
		"gate.two_proofs": {
			title: "请求带有两种凭证",
			meaning: "请求同时带有签名和 Authorization，或其中一种出现了两次。",
			todo: "只发送其中一种，且只发送一次。",
		},
		"gate.body_unbound": {
			title: "签名没有覆盖请求体",
			meaning: "代理看不到请求体，因此调用方必须声明其摘要。",
			todo: "请用 Content-Digest 发送请求体的 SHA-256，软件包会自动完成。",
		},
		"gate.caller_kind": {
			title: "不接受此类调用方",
			meaning: "网关的设置排除了合作伙伴、人员或程序。",
			todo: "请在网关设置中接受此类调用方。",
		},
		"gate.test_client": {
			title: "由测试客户端发起",
			meaning: "该规则不接受测试客户端。",
			todo: "请在规则中允许测试客户端，或使用已批准客户端的凭证。",
		},
		"gate.origin": {
			title: "请求来自其他网站",
			meaning: "使用会话的浏览器只能从同一主机的页面修改数据。",
			todo: "请从应用自己的页面发起调用。程序应使用令牌而不是 Cookie。",
		},
		invalid_client: {
			title: "客户端未通过身份验证",
			meaning: "密钥错误或缺失，或使用了其他身份验证方式。",
			todo: "请将应用中的密钥和身份验证方式与此处显示的核对。",
		},
		invalid_grant: {
			title: "授权码或令牌已失效",
			meaning: "授权码或刷新令牌已过期、已被使用，或属于其他客户端或重定向 URI。",
			todo: "每个授权码只能在一分钟内使用一次，并使用相同的重定向 URI 和 code verifier。请保存最新的刷新令牌。",
		},
		invalid_redirect_uri: {
			title: "重定向 URI 未登记",
			meaning: "应用发送的重定向 URI 与已登记的 URI 不完全一致。",
			todo: "请在设置中逐字登记该 URI，或在应用中更正。",
		},
		invalid_request: {
			title: "请求不完整或不被允许",
			meaning: "某个参数缺失、重复，或此客户端不允许使用。",
			todo: "请查看详情。如果缺少 code_challenge，请在应用的库中启用 PKCE（S256）。",
		},
		invalid_scope: {
			title: "权限范围不被允许",
			meaning: "应用申请的权限范围不存在，或它无权使用。",
			todo: "请从请求中移除该范围，或在设置中允许它。",
		},
		invalid_target: {
			title: "资源不被允许",
			meaning: "应用为未知的或无权调用的 API 申请了令牌。",
			todo: "请在客户端的设置中添加该 API，并使用相同的资源。",
		},
		unauthorized_client: {
			title: "客户端不允许此操作",
			meaning: "该类型的客户端不能以这种方式获取令牌。",
			todo: "请在设置中检查客户端的类型。",
		},
		access_denied: {
			title: "登录被拒绝",
			meaning: "该人员拒绝了授权，或无权访问该应用。",
			todo: "如果不是本人选择拒绝，请授予其访问权限。",
		},
	},
} satisfies typeof en;
