// The URL of a webhook: parsed, and shown in the audit trail.

import { type NamedTarget, named } from "../../../domain/audit.ts";
import { WEBHOOK_URL_MAX, type Webhook } from "../../../domain/webhook.ts";
import { addressOfHost } from "../../../kernel/address-rule.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { IpAddress } from "../../../kernel/ip.ts";

/**
 * Returns the URL as canonical text. Checks IP addresses; host names are checked at each delivery, because they may
 * resolve to other addresses later.
 *
 * @throws AppError `request.invalid` (`url`): not https, with credentials or a fragment, too long, or with an IP address
 * that is not allowed.
 */
export function parseTargetUrl(text: string, isAllowed: (ip: IpAddress) => boolean): string {
	const url = URL.parse(text);
	if (url?.protocol !== "https:") throw invalidField("url", "https_url");
	if (url.username !== "" || url.password !== "") throw invalidField("url", "url_credentials");
	if (url.hash !== "") throw invalidField("url", "url_fragment");
	if (url.port === "0") throw invalidField("url", "url_port");
	if (url.href.length > WEBHOOK_URL_MAX)
		throw invalidField("url", "characters_max", { max: WEBHOOK_URL_MAX });
	const address = addressOfHost(url.hostname);
	if (address !== undefined && !isAllowed(address))
		throw invalidField("url", "not_public", { setting: "LATCHKEY_WEBHOOK_ALLOWED_NETWORKS" });
	return url.href;
}

/** The part of a URL for the audit trail: path and query may hold a secret of the receiver. */
export function hostOf(url: string): string {
	return new URL(url).host;
}

/** As the audit trail names it. */
export function webhookTarget({ id, url }: Pick<Webhook, "id" | "url">): NamedTarget {
	return named("webhook", id, hostOf(url));
}
