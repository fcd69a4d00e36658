// Sets the brand of a tenant.

import { named } from "../../../domain/audit.ts";
import { type Brand, type BrandTexts, brandOf, domainOf, maySend } from "../../../domain/brand.ts";
import type { Caller } from "../../../domain/caller.ts";
import { tenantNotFound } from "../../../domain/tenant.ts";
import { changeDetails, differences, fieldChanges } from "../../../kernel/changes.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

const FIELDS = [
	"productName",
	"logoUrl",
	"accentColor",
	"supportEmail",
	"senderName",
	"senderAddress",
] as const;
export const UNSET_BRAND: BrandTexts = {
	productName: "",
	logoUrl: "",
	accentColor: "",
	supportEmail: "",
	senderName: "",
	senderAddress: "",
};

/**
 * @throws AppError `request.invalid` for a logo URL without https, and for a sender on a domain other than the
 * installation's.
 */
export async function putBrand(
	{ db, clock, brand: installation }: Needs<"brands" | "tenants" | "audit", "clock" | "brand">,
	texts: BrandTexts,
	caller: Caller,
): Promise<Brand> {
	const { tenantId } = caller;
	if (texts.logoUrl !== "" && new URL(texts.logoUrl).protocol !== "https:")
		throw invalidField("logo_url", "https_url");
	if (texts.senderAddress !== "" && !maySend(installation, texts.senderAddress))
		throw invalidField("sender_address", "domain", { domain: domainOf(installation.senderAddress) });
	await db.transaction(async ({ brands, tenants, audit }) => {
		const { name } = found(await tenants.findById(tenantId), tenantNotFound);
		const before = (await brands.find(tenantId)) ?? UNSET_BRAND;
		const changes = differences<Partial<BrandTexts>>({ ...before }, texts);
		if (Object.keys(changes).length === 0) return;
		await brands.put(tenantId, texts, clock());
		await audit.append(
			caller,
			"tenant.branding_updated",
			named("tenant", tenantId, name),
			changeDetails(changes, []),
			fieldChanges(before, changes, FIELDS),
		);
	});
	return brandOf(installation, texts);
}
