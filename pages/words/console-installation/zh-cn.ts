import { byForm } from "../text-forms.ts";
import { DETAILS } from "./details-zh-cn.ts";
import type en from "./en.ts";

export default {
	title: "系统状态",
	description: "在响应请求的节点上执行 “latchkey doctor” 的各项检查，不会做任何更改。",
	again: "重新检查",
	checking: "正在检查，需要几秒钟。",
	version: "版本",
	allGood: "一切正常",
	needsAttention: (count: number) => `${count} 项检查需要注意`,
	broken: (count: number) => `${count} 项检查未通过`,
	brokenText: "当前状态下服务无法正常工作。各项检查中说明了处理方法。",
	attentionText: "服务可以工作。各项检查中说明了处理方法。",
	statuses: { ok: "正常", warn: "注意", fail: "失败" },
	check: "检查项",
	status: "状态",
	detail: "结果与处理方法",
	caption: "系统检查",
	about: {
		node: "Node.js",
		disk: "磁盘空间",
		"data folder": "数据目录",
		"master key": "主密钥",
		database: "数据库",
		schema: "数据库结构",
		secrets: "机密数据",
		clock: "时钟",
		certificate: "证书",
		"public url": "公开地址",
		redis: "Redis",
		mail: "邮件",
		installation: "安装",
		settings: "配置",
	},
	detailOf: (detail: string) => byForm(DETAILS, detail) ?? detail,
	port: (number: string) => `端口 ${number}`,
} satisfies typeof en;
