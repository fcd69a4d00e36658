// A callback that comes as a form (`response_mode=form_post`), turned into the query of an ordinary one.

/** What OAuth 2.0 and OpenID Connect send, and `user`, which is Apple's. Nothing else is carried on. */
const CARRIED = ["state", "code", "error", "error_description", "iss", "user"];
/** Of the whole query: far below what a request line may hold. */
const QUERY_MAX = 8_000;

/**
 * A form of another site carries no `Lax` cookie, and should not. The visit that follows from a redirect does: so the
 * form is not looked at here, only passed on.
 *
 * @returns undefined when it is no form, gives something twice, or is too long.
 */
export function parsePostedCallback(
	contentType: string | undefined,
	body: Buffer,
): URLSearchParams | undefined {
	if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/x-www-form-urlencoded")
		return undefined;
	const given = new URLSearchParams(body.toString("utf8"));
	const carried = new URLSearchParams();
	for (const name of CARRIED) {
		const [value, ...others] = given.getAll(name);
		if (others.length > 0) return undefined;
		if (value !== undefined) carried.set(name, value);
	}
	return carried.size === 0 || carried.toString().length > QUERY_MAX ? undefined : carried;
}
