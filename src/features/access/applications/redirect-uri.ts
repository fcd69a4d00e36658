// Redirect URIs of an application: where sign-in may redirect to.

import { webRedirectProblem } from "../../../domain/redirect-uri.ts";
import { type InvalidEntry, invalidEntries } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";

/**
 * Checks each entry: absolute https (http on a loopback host), no fragment, no credentials, no `*` in the host,
 * no duplicates. Entries are returned unchanged, because they are compared character by character.
 *
 * @throws AppError `request.invalid`, with every bad entry as `<field>.<index>`.
 */
export function parseRedirectUris(texts: readonly string[], field = "redirect_uris"): readonly string[] {
	const problems: InvalidEntry[] = [];
	for (const [index, text] of texts.entries()) {
		const reason = texts.indexOf(text) < index ? "duplicate" : webRedirectProblem(text);
		if (reason !== undefined) problems.push({ index, problem: problem(reason) });
	}
	if (problems.length > 0) throw invalidEntries(field, problems);
	return texts;
}
