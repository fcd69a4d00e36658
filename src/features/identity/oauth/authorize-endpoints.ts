// `POST /oauth/authorize`: an authorization request in a form (OpenID Connect Core 1.0, section 3.1.2.1).

import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountedEndpoint, MountResponse } from "../../../http/run/mount.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { formOf, goTo, refusal } from "./browser-wire.ts";

type Needed = Needs<never, "openId" | "publicUrl">;

const PATH = "/oauth/authorize";
/** The server refuses a URL of twice this length. */
const BYTES_MAX = 8_192;

export function authorizeForm(needs: Needed): MountedEndpoint {
	return { kind: "browser", respond: (request) => respond(needs, request) };
}

/**
 * Redirects the browser to the same request with GET: browsers do not send the session cookie (`SameSite=Lax`) with a
 * form from another site.
 *
 * @throws AppError `route.not_found` while no tenant has an OAuth client.
 */
async function respond({ openId, publicUrl }: Needed, request: Incoming): Promise<MountResponse> {
	if (!(await openId.isUsed())) throw new AppError("route.not_found", "no such resource");
	if (request.queryText !== "") return refusal("the parameters of a POST must be in its body");
	const form = formOf(request);
	if ("refused" in form) return refusal(form.refused);
	const query = form.sent.toString();
	if (query.length > BYTES_MAX)
		return refusal(`the parameters must have at most ${BYTES_MAX} bytes: send longer ones to /oauth/par`);
	return goTo(`${publicUrl}${PATH}?${query}`);
}
