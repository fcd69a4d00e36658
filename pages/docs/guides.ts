// The guides that the service renders from its documents, in the order in which they are read.

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
