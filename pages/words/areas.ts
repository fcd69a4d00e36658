// The areas of words, one row each: texts that are loaded together, on demand and in one language.

import type { Language } from "./language.ts";

/** The English texts; the Chinese ones have the same type. */
export interface Texts {
	ui: typeof import("./ui/en.ts").default;
	account: typeof import("./account/en.ts").default;
	frame: typeof import("./frame/en.ts").default;
	"sign-in": typeof import("./sign-in/en.ts").default;
	"sign-in-steps": typeof import("./sign-in-steps/en.ts").default;
	"sign-up": typeof import("./sign-up/en.ts").default;
	"mailed-links": typeof import("./mailed-links/en.ts").default;
	"sign-out": typeof import("./sign-out/en.ts").default;
	device: typeof import("./device/en.ts").default;
	program: typeof import("./program/en.ts").default;
	consent: typeof import("./consent/en.ts").default;
	home: typeof import("./home/en.ts").default;
	docs: typeof import("./docs/en.ts").default;
	portal: typeof import("./portal/en.ts").default;
	claim: typeof import("./claim/en.ts").default;
	support: typeof import("./support/en.ts").default;
	"set-up": typeof import("./set-up/en.ts").default;
	withdraw: typeof import("./withdraw/en.ts").default;
	"still-needed": typeof import("./still-needed/en.ts").default;
	console: typeof import("./console/en.ts").default;
	"console-partners": typeof import("./console-partners/en.ts").default;
	"console-people": typeof import("./console-people/en.ts").default;
	"console-access": typeof import("./console-access/en.ts").default;
	"console-workloads": typeof import("./console-workloads/en.ts").default;
	"console-palette": typeof import("./console-palette/en.ts").default;
	"console-gate": typeof import("./console-gate/en.ts").default;
	"console-refusals": typeof import("./console-refusals/en.ts").default;
	"console-reviews": typeof import("./console-reviews/en.ts").default;
	"console-audit": typeof import("./console-audit/en.ts").default;
	"console-settings": typeof import("./console-settings/en.ts").default;
	"console-installation": typeof import("./console-installation/en.ts").default;
	"api-errors": typeof import("./api-errors/en.ts").default;
	"audit-summaries": typeof import("./audit-summaries/en.ts").default;
}
export type Area = keyof Texts;
type Load<A extends Area> = () => Promise<{ readonly default: Texts[A] }>;

/** The build fills in the areas that a document uses (scripts/pages/document-parts.ts). */
export const AREAS = {} as { readonly [A in Area]: Readonly<Record<Language, Load<A>>> };
/** Those that its first view needs. */
export const FIRST_AREAS: readonly Area[] = [];
