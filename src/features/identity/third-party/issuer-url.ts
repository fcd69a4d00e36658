// Validates the issuer that an administrator enters for a provider.

import { ISSUER_OF_KIND, type ProviderKind } from "../../../domain/identity-provider.ts";
import { addressOfHost } from "../../../kernel/address-rule.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { IpAddress } from "../../../kernel/ip.ts";

const FIELD = "issuer";
/** Visible ASCII without `\`, so that every parser reads the same URL. */
const PLAIN_URL = /^https:\/\/[\x21-\x5b\x5d-\x7e]+$/;

/**
 * Checks IP addresses; host names are checked each time they are resolved.
 *
 * @returns the issuer unchanged, or null if the kind has a fixed address.
 * @throws AppError `request.invalid` (`issuer`) if it is missing but required, not allowed for the kind, not https, or an
 * IP address that is not allowed, or if it contains credentials, a query, or a fragment.
 */
export function parseIssuer(
	text: string | null,
	kind: ProviderKind,
	isAllowed: (ip: IpAddress) => boolean,
): string | null {
	const rule = ISSUER_OF_KIND[kind];
	if (text === null) {
		if (rule === "required") throw invalidField(FIELD, "required_for_kind", { kind });
		return null;
	}
	if (rule === "none") throw invalidField(FIELD, "absent_for_kind", { kind });
	const url = PLAIN_URL.test(text) ? URL.parse(text) : null;
	if (url === null) throw invalidField(FIELD, "https_url");
	if (url.username !== "" || url.password !== "") throw invalidField(FIELD, "url_credentials");
	if (text.includes("?") || text.includes("#")) throw invalidField(FIELD, "url_query_or_fragment");
	if (url.port === "0") throw invalidField(FIELD, "url_port");
	const address = addressOfHost(url.hostname);
	if (address !== undefined && !isAllowed(address))
		throw invalidField(FIELD, "not_public", { setting: "LATCHKEY_PROVIDER_ALLOWED_NETWORKS" });
	return text;
}
