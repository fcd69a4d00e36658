// The areas of words, one row each: texts that are loaded together, on demand and in one language.

export const AREAS = {
	ui: { en: () => import("./ui/en.ts"), "zh-CN": () => import("./ui/zh-cn.ts") },
	account: { en: () => import("./account/en.ts"), "zh-CN": () => import("./account/zh-cn.ts") },
	"sign-in": { en: () => import("./sign-in/en.ts"), "zh-CN": () => import("./sign-in/zh-cn.ts") },
	"sign-in-steps": {
		en: () => import("./sign-in-steps/en.ts"),
		"zh-CN": () => import("./sign-in-steps/zh-cn.ts"),
	},
	"sign-up": { en: () => import("./sign-up/en.ts"), "zh-CN": () => import("./sign-up/zh-cn.ts") },
	"mailed-links": {
		en: () => import("./mailed-links/en.ts"),
		"zh-CN": () => import("./mailed-links/zh-cn.ts"),
	},
	"sign-out": { en: () => import("./sign-out/en.ts"), "zh-CN": () => import("./sign-out/zh-cn.ts") },
	device: { en: () => import("./device/en.ts"), "zh-CN": () => import("./device/zh-cn.ts") },
	program: { en: () => import("./program/en.ts"), "zh-CN": () => import("./program/zh-cn.ts") },
	consent: { en: () => import("./consent/en.ts"), "zh-CN": () => import("./consent/zh-cn.ts") },
	home: { en: () => import("./home/en.ts"), "zh-CN": () => import("./home/zh-cn.ts") },
	docs: { en: () => import("./docs/en.ts"), "zh-CN": () => import("./docs/zh-cn.ts") },
	portal: { en: () => import("./portal/en.ts"), "zh-CN": () => import("./portal/zh-cn.ts") },
	claim: { en: () => import("./claim/en.ts"), "zh-CN": () => import("./claim/zh-cn.ts") },
	support: { en: () => import("./support/en.ts"), "zh-CN": () => import("./support/zh-cn.ts") },
	"set-up": { en: () => import("./set-up/en.ts"), "zh-CN": () => import("./set-up/zh-cn.ts") },
	withdraw: { en: () => import("./withdraw/en.ts"), "zh-CN": () => import("./withdraw/zh-cn.ts") },
	"still-needed": {
		en: () => import("./still-needed/en.ts"),
		"zh-CN": () => import("./still-needed/zh-cn.ts"),
	},
	console: { en: () => import("./console/en.ts"), "zh-CN": () => import("./console/zh-cn.ts") },
	"console-partners": {
		en: () => import("./console-partners/en.ts"),
		"zh-CN": () => import("./console-partners/zh-cn.ts"),
	},
	"console-people": {
		en: () => import("./console-people/en.ts"),
		"zh-CN": () => import("./console-people/zh-cn.ts"),
	},
	"console-access": {
		en: () => import("./console-access/en.ts"),
		"zh-CN": () => import("./console-access/zh-cn.ts"),
	},
	"console-workloads": {
		en: () => import("./console-workloads/en.ts"),
		"zh-CN": () => import("./console-workloads/zh-cn.ts"),
	},
	"console-palette": {
		en: () => import("./console-palette/en.ts"),
		"zh-CN": () => import("./console-palette/zh-cn.ts"),
	},
	"console-gate": {
		en: () => import("./console-gate/en.ts"),
		"zh-CN": () => import("./console-gate/zh-cn.ts"),
	},
	"console-refusals": {
		en: () => import("./console-refusals/en.ts"),
		"zh-CN": () => import("./console-refusals/zh-cn.ts"),
	},
	"console-reviews": {
		en: () => import("./console-reviews/en.ts"),
		"zh-CN": () => import("./console-reviews/zh-cn.ts"),
	},
	"console-audit": {
		en: () => import("./console-audit/en.ts"),
		"zh-CN": () => import("./console-audit/zh-cn.ts"),
	},
	"console-settings": {
		en: () => import("./console-settings/en.ts"),
		"zh-CN": () => import("./console-settings/zh-cn.ts"),
	},
	"console-installation": {
		en: () => import("./console-installation/en.ts"),
		"zh-CN": () => import("./console-installation/zh-cn.ts"),
	},
	"api-errors": { en: () => import("./api-errors/en.ts"), "zh-CN": () => import("./api-errors/zh-cn.ts") },
	"audit-summaries": {
		en: () => import("./audit-summaries/en.ts"),
		"zh-CN": () => import("./audit-summaries/zh-cn.ts"),
	},
};

/**
 * Areas that the first view of a document needs. The build rewrites this constant for each document (scripts/pages/document-parts.ts).
 */
export const FIRST_AREAS: readonly (keyof typeof AREAS)[] = ["ui"];
