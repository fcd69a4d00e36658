// Answers of the endpoints that a browser navigates to.

import type { MountedAnswer } from "../../../http/mount.ts";

export function refusal(description: string): MountedAnswer {
	return { status: 400, headers: {}, body: "", refusal: { error: "invalid_request", description } };
}

export function goTo(location: string, headers: MountedAnswer["headers"] = {}): MountedAnswer {
	return { status: 303, headers: { ...headers, location }, body: "" };
}
