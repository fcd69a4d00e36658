// The public host of the service.

import type { Config } from "./config.ts";

/** The host of `LATCHKEY_PUBLIC_URL`; IPv6 without brackets. */
export function publicHost({ publicUrl }: Pick<Config, "publicUrl">): string {
	return new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
}

/** Whether the name resolves only on this machine. */
export function isLocal(host: string): boolean {
	return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[0-9.]+$/.test(host);
}

/** Whether clients on other machines are sent to plain HTTP. */
export function isPlainPublicUrl(config: Pick<Config, "publicUrl">): boolean {
	return config.publicUrl.startsWith("http:") && !isLocal(publicHost(config));
}
