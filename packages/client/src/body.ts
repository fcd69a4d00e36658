// What a request can send.

/** What `RequestInit` takes. */
export type SentBody = NonNullable<RequestInit["body"]>;

/**
 * A plain object becomes JSON.
 *
 * @throws TypeError for FormData, whose bytes are not known before it is sent
 */
export function encoded(init: RequestInit): RequestInit {
	const body: unknown = init.body;
	if (body instanceof FormData) throw new TypeError("FormData: await new Response(form).blob()");
	if (body?.constructor !== Object) return init;
	// The type becomes the content type, unless the caller sets one.
	return { ...init, body: new Blob([JSON.stringify(body)], { type: "application/json" }) };
}
