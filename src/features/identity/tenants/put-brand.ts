// Sets the brand of a tenant.

import { checkIsPerson } from "../../../domain/admin-key.ts";
import { named } from "../../../domain/audit.ts";
import { type Brand, type BrandTexts, brandOf, maySend } from "../../../domain/brand.ts";
import type { Administrator } from "../../../domain/caller.ts";
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

const LINE_BREAK = /[\p{Cc}\u2028\u2029]/u;

/**
 * @throws AppError `request.invalid` for a logo URL without https, a name of several lines, and a sender that the tenant
 * may not use; `admin_key.not_allowed` for another sender set by a key.
 */
export async function putBrand(
	{ db, clock, brand: installation }: Needs<"brands" | "tenants" | "audit", "clock" | "brand">,
	texts: BrandTexts,
	caller: Administrator,
): Promise<Brand> {
	const { tenantId } = caller;
	if (texts.logoUrl !== "" && new URL(texts.logoUrl).protocol !== "https:")
		throw invalidField("logo_url", "https_url");
	if (LINE_BREAK.test(texts.productName)) throw invalidField("product_name", "one_line");
	if (LINE_BREAK.test(texts.senderName)) throw invalidField("sender_name", "one_line");
	return db.transaction(async ({ brands, tenants, audit }) => {
		const { name, senderAddresses } = found(await tenants.findById(tenantId), tenantNotFound);
		const { senderAddress } = texts;
		if (senderAddress !== "" && !maySend(installation, senderAddresses, senderAddress))
			throw invalidField("sender_address", "sender", { address: installation.senderAddress });
		const before = (await brands.find(tenantId)) ?? UNSET_BRAND;
		const changes = differences<Partial<BrandTexts>>({ ...before }, texts);
		if (changes.senderAddress !== undefined && senderAddress !== "")
			checkIsPerson(caller, "set sender_address of a tenant");
		const brand = brandOf(installation, texts, senderAddresses);
		if (Object.keys(changes).length === 0) return brand;
		await brands.put(tenantId, texts, clock());
		await audit.append(
			caller,
			"tenant.branding_updated",
			named("tenant", tenantId, name),
			changeDetails(changes, []),
			fieldChanges(before, changes, FIELDS),
		);
		return brand;
	});
}
