// `/branding`: how mails and pages present a tenant.

import { BRAND_COLOR, BRAND_NAME_MAX, type Brand, type BrandTexts, brandOf } from "../../../domain/brand.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { email, list, object, optional, plain, text, webUrl } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { wireNames } from "../../../kernel/changes.ts";
import type { Platform } from "../../platform.ts";
import { putBrand } from "./put-brand.ts";

const SHARED_SECONDS = 300;

const brandSchema = object(
	{
		product_name: plain(),
		logo_url: plain({ description: 'An https URL, or `""`.' }),
		accent_color: plain({ description: "`#rrggbb`." }),
		on_accent_color: plain({ description: "Black or white: what is readable on `accent_color`." }),
		support_email: plain({ description: 'Or `""`.' }),
		sender_name: plain({ description: "Of mails." }),
		sender_address: plain({ description: "Of mails." }),
		customized: list(plain(), {
			description: "Names of the fields that the tenant has set itself; the others are the installation's.",
			examples: [["product_name", "accent_color"]],
		}),
	},
	{ title: "Branding" },
);
const body = object({
	product_name: optional(text({ min: 0, max: BRAND_NAME_MAX })),
	logo_url: optional(webUrl({ description: "https only." })),
	accent_color: optional(text({ min: 0, max: 7, pattern: `${BRAND_COLOR.source}|^$` })),
	support_email: optional(email()),
	sender_name: optional(text({ min: 0, max: BRAND_NAME_MAX })),
	sender_address: optional(email({ description: "On the domain of the installation's sender." })),
});
const toWireForm = toWire(brandSchema);

function toWireBrand(brand: Brand, own: BrandTexts | undefined) {
	const set = Object.entries(own ?? {}).filter(([, value]) => value !== "");
	return toWireForm({ ...brand, customized: wireNames(Object.fromEntries(set)) });
}

export function brandEndpoints(platform: Platform) {
	return {
		get: endpoint<Visitor>()({
			name: "getBranding",
			summary: "Get the branding of a tenant",
			description: "Of the tenant of `X-Tenant-ID`, or `default`. Public, may be kept for five minutes.",
			response: {
				...data(200, brandSchema, "What mails and pages show; the installation's where the tenant has none."),
				headersOf: () => ({
					"cache-control": `public, max-age=${SHARED_SECONDS}`,
					vary: "X-Tenant-ID",
				}),
			},
			async handle({ caller: { tenantId } }) {
				const own = await platform.db.stores.brands.find(tenantId);
				return toWireBrand(brandOf(platform.brand, own), own);
			},
		}),

		put: endpoint<Caller>()({
			name: "putBranding",
			summary: "Set the branding of the tenant",
			description: "Replaces all of it: a field that is left out or empty is the installation's.",
			body,
			response: data(200, brandSchema, "What mails and pages show from now on."),
			async handle({ caller, body: fields }) {
				const texts = {
					productName: fields.product_name ?? "",
					logoUrl: fields.logo_url ?? "",
					accentColor: fields.accent_color ?? "",
					supportEmail: fields.support_email ?? "",
					senderName: fields.sender_name ?? "",
					senderAddress: fields.sender_address ?? "",
				};
				return toWireBrand(await putBrand(platform, texts, caller), texts);
			},
		}),
	};
}
