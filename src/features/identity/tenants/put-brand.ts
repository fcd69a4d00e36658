// Sets the brand of a tenant, and its uploaded logos.

import { sha256Hex } from "../../../crypto/digest.ts";
import { checkIsPerson } from "../../../domain/admin-key.ts";
import { named } from "../../../domain/audit.ts";
import { type Brand, type BrandTexts, brandOf, maySend, UNSET_BRAND } from "../../../domain/brand.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { imageNotFound, imageUrl, type LogoVariant, parseImage } from "../../../domain/image.ts";
import type { Stores } from "../../../domain/stores.ts";
import { tenantNotFound } from "../../../domain/tenant.ts";
import { changeDetails, differences, fieldChanges } from "../../../kernel/changes.ts";
import { found, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"brands" | "tenants" | "audit", "clock" | "brand">;

const HTTPS_FIELDS = { logoUrl: "logo_url", logoDarkUrl: "logo_dark_url", iconUrl: "icon_url" } as const;
const MAIL_LINK = /^mailto:[\w.+-]+@[\w.-]+$/i;

/**
 * @throws AppError `request.invalid` for a logo URL without https, a link of another scheme, and
 * a sender that the tenant may not use; `admin_key.not_allowed` for another sender set by a key.
 */
export async function putBrand(needs: Needed, texts: BrandTexts, caller: Administrator): Promise<Brand> {
	for (const [field, name] of entriesOf(HTTPS_FIELDS))
		if (texts[field] !== "" && !isHttps(texts[field])) throw invalidField(name, "https_url");
	for (const [at, { url }] of texts.footerLinks.entries())
		if (!isHttps(url) && !MAIL_LINK.test(url))
			throw invalidField(`footer_links.${at}.url`, "https_or_mailto");
	return needs.db.transaction(async (stores) =>
		changeBrand(needs, stores, (await stores.brands.lock(caller.tenantId)) ?? UNSET_BRAND, texts, caller),
	);
}

/** Writes and audits a change. @param before read with the brand locked. */
async function changeBrand(
	{ clock, brand: installation }: Pick<Needed, "clock" | "brand">,
	{ brands, tenants, audit }: Pick<Stores, "brands" | "tenants" | "audit">,
	before: BrandTexts,
	texts: BrandTexts,
	caller: Administrator,
): Promise<Brand> {
	const { tenantId } = caller;
	const { name, senderAddresses } = found(await tenants.findById(tenantId), tenantNotFound);
	const { senderAddress } = texts;
	const changes = differences<Partial<Audited>>(audited(before), audited(texts));
	if (changes.senderAddress !== undefined && senderAddress !== "") {
		if (!maySend(installation, senderAddresses, senderAddress))
			throw invalidField("sender_address", "sender", { address: installation.senderAddress });
		checkIsPerson(caller, "set sender_address of a tenant");
	}
	const brand = brandOf(installation, texts, senderAddresses);
	if (Object.keys(changes).length === 0) return brand;
	await brands.put(tenantId, texts, clock());
	const target = named("tenant", tenantId, name);
	const values = fieldChanges(audited(before), changes);
	await audit.append(caller, "tenant.branding_updated", target, changeDetails(changes, []), values);
	return brand;
}

type LogoNeeds = Needs<"brands" | "images" | "tenants" | "audit", "clock" | "brand" | "publicUrl">;

const URL_OF = { light: "logoUrl", dark: "logoDarkUrl", icon: "iconUrl" } as const;

/** @throws AppError `request.invalid` (`image`). */
export async function putLogo(
	needs: LogoNeeds,
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
export async function deleteLogo(
	needs: LogoNeeds,
	variant: LogoVariant,
	caller: Administrator,
): Promise<void> {
	const { tenantId } = caller;
	await needs.db.transaction(async (stores) => {
		const before = (await stores.brands.lock(tenantId)) ?? UNSET_BRAND;
		if (!(await stores.images.remove(tenantId, tenantId, variant))) throw imageNotFound();
		await changeBrand(needs, stores, before, { ...before, [URL_OF[variant]]: "" }, caller);
	});
}

/** As the audit trail shows it: each link in one text. */
type Audited = ReturnType<typeof audited>;

function audited(texts: BrandTexts) {
	return { ...texts, footerLinks: texts.footerLinks.map(({ label, url }) => `${label} ${url}`) };
}

function isHttps(url: string): boolean {
	return URL.parse(url)?.protocol === "https:";
}

function entriesOf<K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] {
	return Object.entries(record) as [K, V][];
}
