// Sets and removes an uploaded logo of a tenant.

import { sha256Hex } from "../../../crypto/digest.ts";
import { type Brand, UNSET_BRAND } from "../../../domain/brand.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { imageNotFound, imageUrl, type LogoVariant, parseImage } from "../../../domain/image.ts";
import type { Needs } from "../../platform.ts";
import { changeBrand } from "./put-brand.ts";

type Needed = Needs<"brands" | "images" | "tenants" | "audit", "clock" | "brand" | "publicUrl">;

const URL_OF = { light: "logoUrl", dark: "logoDarkUrl", icon: "iconUrl" } as const;

/** @throws AppError `request.invalid` (`image`). */
export async function putLogo(
	needs: Needed,
	variant: LogoVariant,
	bytes: Buffer,
	caller: Administrator,
): Promise<Brand> {
	const image = parseImage(bytes);
	const digest = sha256Hex(image);
	const url = imageUrl(needs.publicUrl, digest);
	const { tenantId } = caller;
	const updatedAtMs = needs.clock();
	return needs.db.transaction(async (stores) => {
		const before = (await stores.brands.lock(tenantId)) ?? UNSET_BRAND;
		const content = image.toString("base64");
		await stores.images.put({ subjectId: tenantId, variant, tenantId, digest, content, updatedAtMs });
		return changeBrand(needs, stores, before, { ...before, [URL_OF[variant]]: url }, caller);
	});
}

/** @throws AppError `image.not_found`. */
export async function deleteLogo(needs: Needed, variant: LogoVariant, caller: Administrator): Promise<void> {
	const { tenantId } = caller;
	await needs.db.transaction(async (stores) => {
		const before = (await stores.brands.lock(tenantId)) ?? UNSET_BRAND;
		if (!(await stores.images.remove(tenantId, tenantId, variant))) throw imageNotFound();
		await changeBrand(needs, stores, before, { ...before, [URL_OF[variant]]: "" }, caller);
	});
}
