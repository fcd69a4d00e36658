// The settings of an API client (scopes, allowlist, expiry): as typed in a form, and as the API takes them.

import type { Schemas } from "../../api/routes.ts";
import { isoDay } from "../statistics/period.ts";

export type Scope = Schemas["ApiClient"]["scopes"][number];

export interface ClientSettings {
	/** Undefined: a new application. */
	readonly application: { readonly id: string; readonly name: string } | undefined;
	readonly scopes: readonly Scope[];
	/** One entry per line. */
	readonly allowlist: string;
	/** `YYYY-MM-DD`, the last day in the time zone of the browser; empty: never. */
	readonly lastDay: string;
}

export const SCOPES = [
	"users:read",
	"access:check",
	"third-party:read",
	"access:check:tenant",
] as const satisfies readonly Scope[];

export const NEW_CLIENT: ClientSettings = {
	application: undefined,
	scopes: ["users:read", "access:check", "third-party:read"],
	allowlist: "",
	lastDay: "",
};

export function settingsBody({ application, scopes, allowlist, lastDay }: ClientSettings) {
	return {
		app_id: application?.id ?? "",
		scopes: [...scopes],
		ip_allowlist: entriesOf(allowlist),
		expires_at: endOf(lastDay),
	};
}

/** Line breaks, spaces or commas, as users paste them. */
export const ENTRY_SEPARATOR = /[\s,;]+/u;

export function entriesOf(text: string): string[] {
	return text.split(ENTRY_SEPARATOR).filter((entry) => entry !== "");
}

/** The last second of a day. */
export function endOf(day: string): string | null {
	return day === "" ? null : new Date(`${day}T23:59:59`).toISOString();
}

/** The day in the browser's time zone. */
export function dayOf(at: string | null): string {
	return at === null ? "" : isoDay(Date.parse(at));
}
