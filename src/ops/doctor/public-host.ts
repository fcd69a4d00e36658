// The public host, as the doctor's checks need it.

import type { Config } from "../../config/config.ts";

/** The host of `LATCHKEY_PUBLIC_URL`; IPv6 without brackets. */
export function publicHost({ publicUrl }: Pick<Config, "publicUrl">): string {
	return new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
}

/** Whether the name resolves only on this machine. */
export function isLocal(host: string): boolean {
	return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[0-9.]+$/.test(host);
}
