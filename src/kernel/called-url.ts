// URLs that the service calls for a tenant: where keys are published, and where logout tokens go.

import { addressOfHost } from "./address-rule.ts";
import { invalidField } from "./error.ts";
import type { IpAddress } from "./ip.ts";

export interface UrlRule {
	/** Whether the service may call an application at this address. */
	readonly isWebhookAddress: (ip: IpAddress) => boolean;
}

/** Visible ASCII without `\`, so that every parser reads the same URL. */
const PLAIN_URL = /^https:\/\/[\x21-\x5b\x5d-\x7e]+$/;

/**
 * Checks IP addresses; host names are checked each time they are resolved.
 *
 * @throws AppError `request.invalid`, naming the field.
 */
export function parseCalledUrl(
	field: string,
	text: string | null,
	isAllowed: UrlRule["isWebhookAddress"],
): string | null {
	if (text === null) return null;
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) throw invalidField(field, "https_url");
	if (text.includes("#")) throw invalidField(field, "url_fragment");
	if (url.username !== "" || url.password !== "") throw invalidField(field, "url_credentials");
	if (url.port === "0") throw invalidField(field, "url_port");
	const address = addressOfHost(url.hostname);
	if (address !== undefined && !isAllowed(address))
		throw invalidField(field, "not_public", { setting: "LATCHKEY_WEBHOOK_ALLOWED_NETWORKS" });
	return text;
}
