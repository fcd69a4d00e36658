// The public host of the service, and the name it gives to mail servers.

import { isIP } from "node:net";
import type { Config } from "./config.ts";

/** The host of `LATCHKEY_PUBLIC_URL`; IPv6 without brackets. */
export function publicHost({ publicUrl }: Pick<Config, "publicUrl">): string {
	return new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
}

/** Whether the name resolves only on this machine. */
export function isLocal(host: string): boolean {
	return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.[0-9.]+$/.test(host);
}

const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where this machine reaches a listener: a client cannot connect to a wildcard address. */
export function loopbackOf(host: string): string {
	return LOOPBACK_OF[host] ?? host;
}

/** Whether clients on other machines are sent to plain HTTP. */
export function isPlainPublicUrl(config: Pick<Config, "publicUrl">): boolean {
	return config.publicUrl.startsWith("http:") && !isLocal(publicHost(config));
}

/**
 * The name in EHLO unless `LATCHKEY_SMTP_URL` has one: a container's own host name says nothing to a mail server. The
 * public host if it is a name in the DNS, else the sender's domain (RFC 5321, 4.1.1.1).
 */
export function mailClientName(config: Pick<Config, "publicUrl" | "mailFrom">): string {
	const host = publicHost(config);
	const isDomain = host.includes(".") && isIP(host) === 0 && !isLocal(host);
	return isDomain ? host : config.mailFrom.address.slice(config.mailFrom.address.lastIndexOf("@") + 1);
}
