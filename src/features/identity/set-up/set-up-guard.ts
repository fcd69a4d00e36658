// Admits the holder of a set-up link, which is sent as a Bearer token.

import { tokenDigest } from "../../../crypto/digest.ts";
import { type SetUpCaller, setUpLinkInvalid } from "../../../domain/set-up-link.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { holderOf } from "./set-up-issuer.ts";

/** 256 random bits as base64url. */
const HEADER = new RegExp(`^Bearer +(${CREDENTIAL_PREFIX.setUp}[A-Za-z0-9_-]{43})$`, "i");

/** One indexed read, and the same refusal for a link that never existed, was finished, was replaced, or has expired. */
export function setUpGuard({ db, clock }: Needs<"setUpLinks", "clock">): Guard<SetUpCaller> {
	return {
		security: "bearer",
		transport: "confidential",
		allows: "the holder of a set-up link",
		errors: ["token.missing", "token.invalid"],
		async admit(request) {
			const headers = request.headerValues("authorization");
			if (headers.length !== 1)
				throw new AppError("token.missing", "send one header Authorization: Bearer <token of the link>");
			const token = HEADER.exec(headers[0] ?? "")?.[1];
			const link =
				token === undefined
					? undefined
					: await db.stores.setUpLinks.findPresented(tokenDigest(token), clock());
			if (link === undefined) throw setUpLinkInvalid();
			request.tenantId = link.tenantId;
			return holderOf(link, request);
		},
	};
}
