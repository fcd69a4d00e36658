// The words inside components, in Chinese.

import type { UiWords } from "../../ui/words.ts";

const number = new Intl.NumberFormat("zh-CN");

export default {
	close: "关闭",
	cancel: "取消",
	dismiss: "关闭提示",
	optional: "选填",
	working: "正在处理…",
	loading: "正在加载…",
	showPassword: "显示密码",
	hidePassword: "隐藏密码",
	clear: "清除",
	copy: "复制",
	copied: "已复制",
	copyFailed: "复制失败，请手动选中文本并复制。",
	save: "保存为文件",
	tryAgain: "重试",
	unreachable: "没有收到响应。请检查网络连接后重试。",
	apiText: "API 原文",
	errorTitle: "请检查以下字段",
	skipToContent: "跳到正文",
	navigation: "导航",
	openNavigation: "打开导航",
	tenant: "租户",
	breadcrumb: "当前位置",
	language: "语言",
	actions: "操作",
	moreActions: "更多操作",
	resetFilters: "重置筛选",
	pages: "分页",
	previousPage: "上一页",
	nextPage: "下一页",
	showAsTable: "以表格显示",
	opensInNewTab: "在新标签页中打开",
	notifications: "通知",
	counter: (used, limit) => `${number.format(used)} / ${number.format(limit)} 个字符`,
	overLimit: (excess) => `超出 ${number.format(excess)} 个字符`,
	tryAgainIn: (seconds) => `${number.format(seconds)} 秒后可重试`,
	range: (first, last, total) =>
		`第 ${number.format(first)}–${number.format(last)} 条，共 ${number.format(total)} 条`,
	pageOf: (page, pages) => `第 ${number.format(page)} 页，共 ${number.format(pages)} 页`,
	actionsOf: (name) => `${name} 的操作`,
	typeToConfirm: (text) => `请输入“${text}”以确认`,
} satisfies UiWords as UiWords;
