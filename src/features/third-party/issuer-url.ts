// Where a provider stands, from an administrator's text.

import { addressOfHost } from "../../kernel/address-rule.ts";
import { invalidField } from "../../kernel/error.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import { ISSUER_OF_KIND, type ProviderKind } from "./model.ts";

const FIELD = "issuer";
/** Visible ASCII without `\`: an issuer is compared as text, so two programs must not read two addresses. */
const PLAIN_URL = /^https:\/\/[\x21-\x5b\x5d-\x7e]+$/;

/**
 * The issuer as it was written, or null where the kind has its own address. An address is judged here, a name each time
 * it is resolved: what a name means may change at any time.
 *
 * @throws AppError `request.invalid` about `issuer`: missing where the kind wants one, given where it takes none, not
 * https, with credentials, query or fragment, or an address that is not allowed.
 */
export function parseIssuer(
	text: string | null,
	kind: ProviderKind,
	isAllowed: (ip: IpAddress) => boolean,
): string | null {
	const wanted = ISSUER_OF_KIND[kind];
	if (text === null) {
		if (wanted === "required") throw invalidField(FIELD, `is required for a provider of kind ${kind}`);
		return null;
	}
	if (wanted === "none") throw invalidField(FIELD, `must be absent: kind ${kind} has its own address`);
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) throw invalidField(FIELD, "must be an absolute https URL in ASCII");
	if (url.username !== "" || url.password !== "") throw invalidField(FIELD, "must not hold credentials");
	if (text.includes("?") || text.includes("#"))
		throw invalidField(FIELD, "must not hold a query or fragment");
	if (url.port === "0") throw invalidField(FIELD, "must not name port 0");
	const address = addressOfHost(url.hostname);
	if (address !== undefined && !isAllowed(address))
		throw invalidField(FIELD, "must not name an address that is not on the public Internet");
	return text;
}
