// The host people and partners use, as the doctor needs to know it.

import type { Config } from "../../config/config.ts";

/** Of `LATCHKEY_PUBLIC_URL`; IPv6 without brackets. */
export function publicHost({ publicUrl }: Pick<Config, "publicUrl">): string {
	return new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
}

/** Nobody but this machine can mean it. */
export function isLocal(host: string): boolean {
	return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[0-9.]+$/.test(host);
}
