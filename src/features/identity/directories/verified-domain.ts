// Whether an address is in a domain that was verified for the issuer of a directory.

import type { Directory } from "../../../domain/directory.ts";
import type { Stores } from "../../../domain/stores.ts";
import { domainOf } from "../../../kernel/email-address.ts";

/** The word of the issuer counts for these addresses, as at its sign-in. */
export async function isVerifiedFor(
	{ domains }: Stores<"domains">,
	{ tenantId, issuerId }: Pick<Directory, "tenantId" | "issuerId">,
	email: string,
): Promise<boolean> {
	const domain = await domains.find(tenantId, domainOf(email));
	return domain !== undefined && domain.verifiedAtMs !== null && domain.issuerId === issuerId;
}
