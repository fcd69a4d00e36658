// The names of the guides, and where their script is served.

/** A guide is served at `/docs/<name>` and read from `docs/<name>.md`, which the package and the image contain. */
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
] as const;

export type GuideName = (typeof GUIDES)[number];

/** The guides of partner developers, also in Chinese: served at `/docs/zh-cn/<name>`, read from `docs/zh-cn/<name>.md`. */
export const CHINESE_GUIDES = ["signing", "api", "errors"] as const satisfies readonly GuideName[];

/** Test vectors of signed requests, for implementers: served and read like a guide. */
export const SIGNING_VECTORS = "signing-vectors.json";

/** The diagrams of the guides, in `docs/`. */
export const DIAGRAMS = [
	"images/claim.svg",
	"images/code-flow.svg",
	"images/signed-request.svg",
	"zh-cn/images/claim.svg",
	"zh-cn/images/signed-request.svg",
] as const;

/** Inter, for the built pages and the guides. The name ends with the CRC-32 of the file. */
export const FONT_PATH = "/pages/inter-28a584c8.woff2";

/** Adds the buttons that copy code. */
export const GUIDE_SCRIPT_PATH = "/pages/guide.js";

export function titleOf(markdown: string): string {
	return /^# (.+)$/m.exec(markdown)?.[1] ?? "";
}
