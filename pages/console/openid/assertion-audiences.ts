// Where a client may carry its people, as lines of a form: the issuer, a space, and the client ID there.

import type { Schemas } from "../../api/routes.ts";
import { linesOf } from "../../ui/text-area.tsx";

type Audience = Schemas["OAuthClient"]["assertion_audiences"][number];

/** A line without a client ID is sent as it is: the response names it. */
export function audiencesIn(typed: string): Audience[] {
	return linesOf(typed).map((line) => {
		const [issuer = "", ...id] = line.split(/\s/);
		return { issuer, client_id: id.join(" ").trim() };
	});
}

export function audienceLines(audiences: readonly Audience[]): string[] {
	return audiences.map(({ issuer, client_id }) => `${issuer} ${client_id}`);
}
