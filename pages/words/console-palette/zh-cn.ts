import { format } from "../format.ts";
import type en from "./en.ts";

export default {
	title: "查找任何内容",
	placeholder: "名称、ID、API Key、请求 ID，或想做的操作",
	none: "没有结果。",
	count: (count: number) => `${format.number(count)} 个结果`,
	kinds: { screen: "页面", action: "操作", here: "在此页面上" },
	add: {
		people: "添加人员",
		groups: "添加群组",
		applications: "添加应用",
		reviews: "开始访问权限审查",
		clients: "创建 API 客户端",
		webhooks: "添加 Webhook",
		providers: "添加身份提供方",
		keys: "创建管理密钥",
		tenants: "创建租户",
	},
	acts: {
		check: {
			name: "检查访问权限…",
			asks: "检查谁的访问权限？",
			begins: ["检查访问权限", "检查"],
		},
		rotate: {
			name: "更换密钥…",
			asks: "更换哪个 API 客户端或应用的密钥？",
			begins: ["更换密钥", "更换 Secret ", "更换", "重新生成密钥"],
		},
		give: {
			name: "授予访问权限…",
			asks: "授予哪位人员，或哪个应用的访问权限？",
			begins: ["授予访问权限", "授予", "授权"],
		},
	},
	actOf: {
		check: (person: string) => `检查 ${person} 的访问权限`,
		rotate: (name: string) => `更换 ${name} 的密钥`,
		givePerson: (person: string) => `授予 ${person} 访问权限`,
		giveApplication: (application: string) => `授予“${application}”的访问权限`,
	},
	verify: "验证审计日志",
	verified: (count: number) => `审计日志最新的 ${format.number(count)} 个事件未被更改。`,
	broken: (sequence: number) =>
		`审计日志在第 ${format.number(sequence)} 个事件处被更改。打开审计日志查看处理方法。`,
	copyRequestId: (id: string) => `复制请求 ID ${id}`,
	copied: "请求 ID 已复制。",
	themes: {
		light: "使用浅色外观",
		dark: "使用深色外观",
		system: "跟随系统外观",
	},
} satisfies typeof en;
