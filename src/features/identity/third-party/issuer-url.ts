// Validates the issuer that an administrator enters for a provider, and compares it with the provider's own document.

import {
	type IdentityProvider,
	ISSUER_MAX,
	ISSUER_OF_KIND,
	type ProviderKind,
} from "../../../domain/identity-provider.ts";
import { ProviderFailure } from "../../../domain/provider-gateway.ts";
import { addressOfHost } from "../../../kernel/address-rule.ts";
import { AppError, invalidField, refusedField } from "../../../kernel/error.ts";
import { type Problem, problem } from "../../../kernel/field-reason.ts";
import type { IpAddress } from "../../../kernel/ip.ts";
import type { Needs } from "../../platform.ts";

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

/** What people copy from the address bar instead of the issuer. */
const DOCUMENT_PATH = /\/\.well-known\/openid-configuration\/?$/;

/**
 * Reads the provider's discovery document, so that a wrong issuer is reported to the administrator who enters it instead
 * of to the users who sign in. Compares text: parsed URLs hide the last slash of an issuer without a path.
 *
 * @param issuer parsed by `parseIssuer`.
 * @param force saves while the provider is unreachable; never despite a difference.
 * @throws AppError `issuer.mismatch` with the right value if it can be stored, `request.invalid` (`issuer`) if the document
 * is unusable or cannot be read.
 */
export async function checkIssuer(
	{ providers, isProviderAddress }: Needs<never, "providers" | "isProviderAddress">,
	{ kind, issuer, force }: Pick<IdentityProvider, "kind" | "issuer"> & { readonly force: boolean },
): Promise<void> {
	if (issuer === null) return;
	const base = issuer.replace(DOCUMENT_PATH, "");
	let named: string | null;
	try {
		named = await providers.checkIssuer({ kind, issuer: base });
	} catch (error) {
		if (!(error instanceof ProviderFailure)) throw error;
		const { message: cause, reason } = error;
		if (base !== issuer) named = base;
		else if (reason !== "unreachable") throw invalidField(FIELD, "issuer_unusable", { cause });
		else if (force) return;
		else throw invalidField(FIELD, "issuer_unreachable", { cause });
	}
	if (named !== issuer)
		throw refusedField("issuer.mismatch", FIELD, mismatch(named, kind, isProviderAddress));
}

/** What is wrong with an issuer whose document names another one. */
export function mismatch(
	named: string | null,
	kind: ProviderKind,
	isAllowed: (ip: IpAddress) => boolean,
): Problem {
	return named !== null && isStorable(named, kind, isAllowed)
		? problem("issuer_exact", { issuer: named })
		: problem("issuer_other");
}

/** Whether an issuer that a document names may be shown as the right value, because it would be accepted. */
function isStorable(issuer: string, kind: ProviderKind, isAllowed: (ip: IpAddress) => boolean): boolean {
	try {
		return (
			issuer.length <= ISSUER_MAX &&
			!DOCUMENT_PATH.test(issuer) &&
			parseIssuer(issuer, kind, isAllowed) === issuer
		);
	} catch (error) {
		if (error instanceof AppError) return false;
		throw error;
	}
}
