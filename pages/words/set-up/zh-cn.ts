import type en from "./en.ts";

export default {
	title: "设置您的登录方式",
	doneTitle: "设置已完成",
	doneText: "接下来由服务的管理员启用登录。您可以关闭此页面。",
	noToken: "打开此页面需要您收到的链接。",
	over: "此链接已完成、被替换或已过期。如仍需要，请索取新链接。",
	trialEnded: "试用登录已结束。请关闭此标签页，并在另一个标签页中继续。",
	lead: (domain: string, tenant: string) => `使用 ${domain} 地址的人员将用您的账户登录${tenant}。`,
	leadFor: (domain: string, application: string) =>
		`使用 ${domain} 地址的人员将用您的账户登录${application}。`,
	issuerTitle: "1. 您的身份提供方",
	kind: "提供方",
	kinds: {
		entra: "Microsoft Entra ID",
		okta: "Okta",
		google: "Google Workspace",
		other: "其他 OpenID 提供方",
	},
	how: {
		entra:
			"在 Entra 管理中心添加平台为“Web”的应用注册，填写下面的重定向 URI，并创建客户端密码。签发方与客户端 ID 可在“概述”中查看。",
		okta: "在 Okta 管理控制台创建“OIDC – Web Application”应用集成，填写下面的登录重定向 URI，并分配给您的人员。",
		google:
			"在您组织的 Google Cloud 控制台创建类型为“Web 应用”的 OAuth 客户端，填写下面的重定向 URI。同意屏幕必须为内部。",
		other: "使用下面的重定向 URI 注册一个用于授权码流程的机密客户端，范围为 openid、email 和 profile。",
	},
	callback: "重定向 URI",
	issuer: "签发方",
	issuerHints: {
		entra: "https://login.microsoftonline.com/<目录 ID>/v2.0",
		okta: "https://<您的组织>.okta.com",
		other: "与其发现文档中的名称完全一致",
	},
	clientId: "客户端 ID",
	clientSecret: "客户端密码",
	save: "保存",
	saved: "已保存。再次保存需要重新输入密码，并重新试用。",
	domainTitle: "2. 您的域名",
	domainText: "请发布此 TXT 记录。完成时会查询该记录；域名服务器可能需要几分钟。",
	domainVerified: "域名已通过验证。",
	recordName: "TXT 记录的名称",
	recordValue: "TXT 记录的值",
	trialTitle: "3. 试用登录",
	trialText: (domain: string) => `请用 ${domain} 的地址登录一次。不会创建任何内容。`,
	trialStart: "开始试用",
	trialOpen: "在新标签页中打开登录",
	trialPassed: (who: string) => `${who} 已登录。`,
	trialFailed: "试用失败",
	otherDomain: (who: string, domain: string) => `${who} 已登录，但不是 ${domain} 的地址。`,
	finish: "完成",
	finishText: "完成后此链接即失效，并会请管理员启用登录。",
} satisfies typeof en;
