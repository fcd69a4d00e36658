// Turns a callback that is posted as a form (`response_mode=form_post`) into the query of a redirect.

/** The parameters of OAuth 2.0 and OpenID Connect, and Apple's `user`. All others are dropped. */
const PARAMETERS = ["state", "code", "error", "error_description", "iss", "user"];
/** Characters of the whole query: far below the limit of a request line. */
const QUERY_MAX = 8_000;

/**
 * A form of another site carries no `Lax` cookie, but the request after a redirect does: the form is only passed on.
 *
 * @returns undefined when it is not a form, repeats a parameter, or is too long.
 */
export function parsePostedCallback(
	contentType: string | undefined,
	body: Buffer,
): URLSearchParams | undefined {
	if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/x-www-form-urlencoded")
		return undefined;
	const form = new URLSearchParams(body.toString("utf8"));
	const query = new URLSearchParams();
	for (const name of PARAMETERS) {
		const [value, ...others] = form.getAll(name);
		if (others.length > 0) return undefined;
		if (value !== undefined) query.set(name, value);
	}
	return query.size === 0 || query.toString().length > QUERY_MAX ? undefined : query;
}
