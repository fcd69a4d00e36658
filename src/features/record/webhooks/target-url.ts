// The URL of a webhook: parsed, and shown in the audit trail.

import { type NamedTarget, named } from "../../../domain/audit-target.ts";
import { WEBHOOK_URL_MAX, type Webhook } from "../../../domain/webhook.ts";
import { addressOfHost } from "../../../kernel/address-rule.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { IpAddress } from "../../../kernel/ip.ts";

/**
 * Returns the URL in canonical text. IP addresses are checked here; names are checked at each delivery, because what
 * they resolve to may change.
 *
 * @throws AppError `request.invalid` about `url`: not https, with credentials or a fragment, too long, or an address
 * that is not allowed.
 */
export function parseTargetUrl(text: string, isAllowed: (ip: IpAddress) => boolean): string {
	const url = URL.parse(text);
	if (url === null) throw invalidField("url", "must be an absolute URL");
	if (url.protocol !== "https:") throw invalidField("url", "must begin with https://");
	if (url.username !== "" || url.password !== "") throw invalidField("url", "must not hold credentials");
	if (url.hash !== "") throw invalidField("url", "must not hold a fragment (#…)");
	if (url.port === "0") throw invalidField("url", "must not name port 0");
	if (url.href.length > WEBHOOK_URL_MAX)
		throw invalidField("url", `must be at most ${WEBHOOK_URL_MAX} characters`);
	const address = addressOfHost(url.hostname);
	if (address !== undefined && !isAllowed(address))
		throw invalidField("url", "must not name an address that is not on the public Internet");
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
