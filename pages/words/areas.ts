// The areas of words, one row each. Files of a language are loaded when an area is needed in it.

export const AREAS = {
	account: { en: () => import("./account/en.ts"), "zh-CN": () => import("./account/zh-cn.ts") },
	common: { en: () => import("./common/en.ts"), "zh-CN": () => import("./common/zh-cn.ts") },
	ui: { en: () => import("./ui/en.ts"), "zh-CN": () => import("./ui/zh-cn.ts") },
	"sign-in": { en: () => import("./sign-in/en.ts"), "zh-CN": () => import("./sign-in/zh-cn.ts") },
	"sign-in-errors": {
		en: () => import("./sign-in-errors/en.ts"),
		"zh-CN": () => import("./sign-in-errors/zh-cn.ts"),
	},
	"sign-in-steps": {
		en: () => import("./sign-in-steps/en.ts"),
		"zh-CN": () => import("./sign-in-steps/zh-cn.ts"),
	},
	"sign-up": { en: () => import("./sign-up/en.ts"), "zh-CN": () => import("./sign-up/zh-cn.ts") },
	"new-password": {
		en: () => import("./new-password/en.ts"),
		"zh-CN": () => import("./new-password/zh-cn.ts"),
	},
	"mailed-links": {
		en: () => import("./mailed-links/en.ts"),
		"zh-CN": () => import("./mailed-links/zh-cn.ts"),
	},
	"sign-out": { en: () => import("./sign-out/en.ts"), "zh-CN": () => import("./sign-out/zh-cn.ts") },
	device: { en: () => import("./device/en.ts"), "zh-CN": () => import("./device/zh-cn.ts") },
	consent: { en: () => import("./consent/en.ts"), "zh-CN": () => import("./consent/zh-cn.ts") },
	home: { en: () => import("./home/en.ts"), "zh-CN": () => import("./home/zh-cn.ts") },
	docs: { en: () => import("./docs/en.ts"), "zh-CN": () => import("./docs/zh-cn.ts") },
	portal: { en: () => import("./portal/en.ts"), "zh-CN": () => import("./portal/zh-cn.ts") },
	claim: { en: () => import("./claim/en.ts"), "zh-CN": () => import("./claim/zh-cn.ts") },
	withdraw: { en: () => import("./withdraw/en.ts"), "zh-CN": () => import("./withdraw/zh-cn.ts") },
	console: { en: () => import("./console/en.ts"), "zh-CN": () => import("./console/zh-cn.ts") },
	"client-settings": {
		en: () => import("./client-settings/en.ts"),
		"zh-CN": () => import("./client-settings/zh-cn.ts"),
	},
	"console-clients": {
		en: () => import("./console-clients/en.ts"),
		"zh-CN": () => import("./console-clients/zh-cn.ts"),
	},
	"console-requests": {
		en: () => import("./console-requests/en.ts"),
		"zh-CN": () => import("./console-requests/zh-cn.ts"),
	},
	"console-people": {
		en: () => import("./console-people/en.ts"),
		"zh-CN": () => import("./console-people/zh-cn.ts"),
	},
	overview: { en: () => import("./overview/en.ts"), "zh-CN": () => import("./overview/zh-cn.ts") },
	"console-applications": {
		en: () => import("./console-applications/en.ts"),
		"zh-CN": () => import("./console-applications/zh-cn.ts"),
	},
	"console-grants": {
		en: () => import("./console-grants/en.ts"),
		"zh-CN": () => import("./console-grants/zh-cn.ts"),
	},
	"console-openid": {
		en: () => import("./console-openid/en.ts"),
		"zh-CN": () => import("./console-openid/zh-cn.ts"),
	},
	"console-groups": {
		en: () => import("./console-groups/en.ts"),
		"zh-CN": () => import("./console-groups/zh-cn.ts"),
	},
	"console-audit": {
		en: () => import("./console-audit/en.ts"),
		"zh-CN": () => import("./console-audit/zh-cn.ts"),
	},
	"api-errors": { en: () => import("./api-errors/en.ts"), "zh-CN": () => import("./api-errors/zh-cn.ts") },
	"audit-summaries": {
		en: () => import("./audit-summaries/en.ts"),
		"zh-CN": () => import("./audit-summaries/zh-cn.ts"),
	},
	"console-webhooks": {
		en: () => import("./console-webhooks/en.ts"),
		"zh-CN": () => import("./console-webhooks/zh-cn.ts"),
	},
	"console-mail": {
		en: () => import("./console-mail/en.ts"),
		"zh-CN": () => import("./console-mail/zh-cn.ts"),
	},
	"console-keys": {
		en: () => import("./console-keys/en.ts"),
		"zh-CN": () => import("./console-keys/zh-cn.ts"),
	},
	"console-providers": {
		en: () => import("./console-providers/en.ts"),
		"zh-CN": () => import("./console-providers/zh-cn.ts"),
	},
	"console-branding": {
		en: () => import("./console-branding/en.ts"),
		"zh-CN": () => import("./console-branding/zh-cn.ts"),
	},
	"console-tenants": {
		en: () => import("./console-tenants/en.ts"),
		"zh-CN": () => import("./console-tenants/zh-cn.ts"),
	},
	"console-installation": {
		en: () => import("./console-installation/en.ts"),
		"zh-CN": () => import("./console-installation/zh-cn.ts"),
	},
};

/**
 * Areas that the first view of a document draws with. The build writes this file for each document, with the areas
 * that it uses (scripts/pages/document-parts.ts).
 */
export const FIRST_AREAS: readonly (keyof typeof AREAS)[] = ["common", "ui"];
