// A domain of email addresses, and the state of the link that sets up its sign-in.

import type { Schemas } from "../../api/routes.ts";

export type Domain = Schemas["Domain"];
type LinkState = "none" | "open" | "expired" | "finished";

export function linkStateOf(setUp: Domain["set_up"]): LinkState {
	if (setUp === undefined || setUp === null) return "none";
	if (setUp.finished_at !== null) return "finished";
	return Date.parse(setUp.expires_at) > Date.now() ? "open" : "expired";
}
