// What a request can send.

/** What `RequestInit` takes. */
export type SentBody = NonNullable<RequestInit["body"]>;

/** A plain object becomes JSON. */
export function encoded(init: RequestInit): RequestInit {
	const body: unknown = init.body;
	if (body?.constructor !== Object) return init;
	// The type becomes the content type, unless the caller sets one.
	return { ...init, body: new Blob([JSON.stringify(body)], { type: "application/json" }) };
}
