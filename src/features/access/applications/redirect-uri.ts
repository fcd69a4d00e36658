// Redirect URIs of an application: where sign-in may redirect to.

import type { OAuthClientStore, OAuthClientType } from "../../../domain/oauth-client.ts";
import { hasPrivateScheme, redirectProblem, webRedirectProblem } from "../../../domain/redirect-uri.ts";
import { type InvalidEntry, invalidEntries, invalidField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";

/**
 * Checks each entry: absolute https (http on a loopback host), no fragment, no credentials, no `*` in the host,
 * no duplicates; of an application also a private-use scheme. Entries are returned unchanged, because they are compared character by character.
 *
 * @throws AppError `request.invalid`, with every bad entry as `<field>.<index>`.
 */
export function parseRedirectUris(
	texts: readonly string[],
	field: "redirect_uris" | "post_logout_redirect_uris" = "redirect_uris",
): readonly string[] {
	const problemOf = field === "redirect_uris" ? redirectProblem : webRedirectProblem;
	const problems: InvalidEntry[] = [];
	for (const [index, text] of texts.entries()) {
		const reason = texts.indexOf(text) < index ? "duplicate" : problemOf(text);
		if (reason !== undefined) problems.push({ index, problem: problem(reason) });
	}
	if (problems.length > 0) throw invalidEntries(field, problems);
	return texts;
}

/** Types whose codes must not go to an app that claims a scheme. A `service` gets no codes. */
const WEB_TYPES: readonly OAuthClientType[] = ["web", "spa"];

/** @throws AppError `request.invalid` (`type`) if the application has a redirect URI that only `native` clients use. */
export function checkTypeFor(type: OAuthClientType, redirectUris: readonly string[]): void {
	const uri = WEB_TYPES.includes(type) ? redirectUris.find(hasPrivateScheme) : undefined;
	if (uri !== undefined) throw invalidField("type", "native_for_scheme", { uri });
}

/** @throws AppError `request.invalid`, naming the entries that the application's OAuth client cannot use. */
export async function checkUrisFor(
	oauthClients: OAuthClientStore,
	tenantId: string,
	applicationId: string,
	redirectUris: readonly string[],
): Promise<void> {
	const refused = redirectUris.flatMap((uri, index) =>
		hasPrivateScheme(uri) ? [{ index, problem: problem("scheme_needs_native") }] : [],
	);
	if (refused.length === 0) return;
	const client = await oauthClients.findForUpdate(tenantId, applicationId);
	if (client !== undefined && WEB_TYPES.includes(client.type)) throw invalidEntries("redirect_uris", refused);
}
