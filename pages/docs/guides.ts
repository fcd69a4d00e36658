// The guides that the service renders from its documents, in the order in which they are read.

import { language } from "../words/language.ts";
import type { WordsOf } from "../words/words.ts";

export const GUIDES = [
	"protect-your-application",
	"single-page-applications",
	"openid",
	"no-secret-in-your-pipeline",
	"employees-programs",
	"customer-sign-in",
	"directories",
	"gate",
	"mcp",
	"packages",
	"signing",
	"api",
	"errors",
	"webhooks",
	"automation",
	"configuration-as-code",
	"third-party-login",
	"second-factors",
	"browser-sessions",
] as const satisfies readonly (keyof WordsOf<"docs">["guideTitles"])[];

const CHINESE_GUIDES: readonly string[] = ["signing", "api", "errors"];

export type GuideName = (typeof GUIDES)[number];

/** Whether a guide opens in the language of the pages. */
export function isTranslated(name: GuideName): boolean {
	return language.value !== "zh-CN" || CHINESE_GUIDES.includes(name);
}

/** Where a guide is served in the language of the pages, or in English. */
export function guidePath(name: GuideName): string {
	return language.value === "zh-CN" && isTranslated(name) ? `/docs/zh-cn/${name}` : `/docs/${name}`;
}
