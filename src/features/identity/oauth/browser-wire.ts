// Form bodies and responses of endpoints that browsers navigate to.

import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountResponse } from "../../../http/run/mount.ts";

const FORM = "application/x-www-form-urlencoded";

export function formOf(request: Incoming): { readonly sent: URLSearchParams } | { readonly refused: string } {
	const [type = ""] = request.headerValues("content-type");
	if (type.split(";")[0]?.trim().toLowerCase() !== FORM) return { refused: `the body must be ${FORM}` };
	return { sent: new URLSearchParams(request.rawBody.toString()) };
}

export function refusal(description: string): MountResponse {
	return { status: 400, headers: {}, body: "", refusal: { error: "invalid_request", description } };
}

export function goTo(location: string, headers: MountResponse["headers"] = {}): MountResponse {
	return { status: 303, headers: { ...headers, location }, body: "" };
}
