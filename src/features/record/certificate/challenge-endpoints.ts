// Responds to an ACME server that asks whether this service has its host (RFC 8555, section 8.3).

import type { MountedEndpoint } from "../../../http/run/mount.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

const PREFIX = "/.well-known/acme-challenge/";
/** As the server issues it: base64url. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** @throws AppError `route.not_found` unless the token belongs to a pending challenge. */
export function acmeChallenge({ db }: Needs<"acmeCertificates">): MountedEndpoint {
	return {
		kind: "document",
		async respond({ path }) {
			const token = path.slice(PREFIX.length);
			const found = TOKEN.test(token) ? await db.stores.acmeCertificates.findAuthorization(token) : undefined;
			if (found === undefined) throw new AppError("route.not_found", "no such resource");
			return { status: 200, headers: { "content-type": "application/octet-stream" }, body: found };
		},
	};
}
