// The guides that the service renders from its documents, in the order in which they are read.

import { language } from "../words/language.ts";
import type { WordsOf } from "../words/words.ts";

export const GUIDES = [
	"protect-your-application",
	"single-page-applications",
	"gate",
	"mcp",
	"packages",
	"signing",
	"api",
	"errors",
	"webhooks",
	"automation",
	"third-party-login",
	"second-factors",
	"browser-sessions",
] as const satisfies readonly (keyof WordsOf<"docs">["guideTitles"])[];

const CHINESE_GUIDES: readonly string[] = ["signing", "api", "errors"];

/** Where a guide is served in the language of the pages, or in English. */
export function guidePath(name: (typeof GUIDES)[number]): string {
	return language.value === "zh-CN" && CHINESE_GUIDES.includes(name)
		? `/docs/zh-cn/${name}`
		: `/docs/${name}`;
}
