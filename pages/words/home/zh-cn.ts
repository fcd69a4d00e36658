import type en from "./en.ts";

export default {
	title: (product: string) => `欢迎使用 ${product}`,
	intro: "面向用户、应用和合作伙伴的登录与访问控制。",
	signInTitle: "登录",
	signInText: "管理您的账户：密码、通行密钥、设备和关联账户。",
	portalTitle: "申请 API 访问",
	portalText: "合作伙伴在此申请 API 凭证，审核通过后领取。",
	docsTitle: "阅读 API 文档",
	docsText: "全部接口的参考、指南以及签名请求的示例代码。",
	support: "有疑问？",
} satisfies typeof en;
