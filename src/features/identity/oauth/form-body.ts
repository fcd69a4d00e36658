// Bodies of the endpoints that take a form from a browser.

import type { Incoming } from "../../../http/incoming.ts";

const FORM = "application/x-www-form-urlencoded";

export function formOf(request: Incoming): { readonly sent: URLSearchParams } | { readonly refused: string } {
	const [type = ""] = request.headerValues("content-type");
	if (type.split(";")[0]?.trim().toLowerCase() !== FORM) return { refused: `the body must be ${FORM}` };
	return { sent: new URLSearchParams(request.rawBody.toString()) };
}
