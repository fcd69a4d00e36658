// Identifies a document as it was read, so that a reviewer approves only what the reviewer saw.

import { sha256Base64url } from "../../../crypto/digest.ts";
import type { ProgramDocument } from "../../../domain/program-document.ts";

/** Covers all members, including those that the service ignores: a reviewer sees them. */
export function documentDigest(document: ProgramDocument): string {
	const { url, name, redirectUris, authMethod, jwks, jwksUri, published } = document;
	return sha256Base64url(JSON.stringify([url, name, redirectUris, authMethod, jwks, jwksUri, published]));
}
