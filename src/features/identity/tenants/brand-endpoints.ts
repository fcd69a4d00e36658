// `/branding`: the branding of a tenant on pages and in mails.

import {
	BRAND_COLOR,
	BRAND_NAME_MAX,
	type Brand,
	type BrandTexts,
	CORNER_RADIUS_MAX,
	FOOTER_LABEL_MAX,
	FOOTER_LINKS_MAX,
	FOOTER_URL_MAX,
	SIGN_IN_TEXT_MAX,
	setTexts,
	UNSET_BRAND,
} from "../../../domain/brand.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import {
	email,
	integer,
	list,
	nameText,
	nullable,
	object,
	optional,
	plain,
	text,
	webUrl,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { wireNames } from "../../../kernel/changes.ts";
import type { Platform } from "../../platform.ts";
import { putBrand } from "./put-brand.ts";
import { readBrand } from "./read-brand.ts";

const SHARED_SECONDS = 300;

export const brandSchema = object(
	{
		product_name: plain(),
		logo_url: plain('An https URL; `""` when unset. Pages show it only if it was uploaded.'),
		logo_dark_url: plain('The logo on dark pages; `""` when unset.'),
		icon_url: plain('The icon of browser tabs; `""` when unset.'),
		accent_color: plain("`#rrggbb`."),
		on_accent_color: plain("Black or white, whichever is readable on `accent_color`."),
		support_email: plain('`""` when unset.'),
		sender_name: plain("The sender name of mails."),
		sender_address: plain("The sender address of mails."),
		sign_in_text: plain('Below the title of the sign-in page; `""` when unset.'),
		footer_links: list(object({ label: plain(), url: plain() }), {
			description: "Links at the foot of the public pages.",
			examples: [[{ label: "Privacy", url: "https://www.example.com/privacy" }]],
		}),
		corner_radius: nullable(integer("In pixels, of buttons, fields, and cards.")),
		customized: list(plain(), {
			description: "The fields that the tenant has set. The others come from the installation.",
			examples: [["product_name", "accent_color"]],
		}),
	},
	{ title: "Branding" },
);
const body = object({
	product_name: optional(nameText({ min: 0, max: BRAND_NAME_MAX })),
	logo_url: optional(webUrl("https only.")),
	logo_dark_url: optional(webUrl("https only.")),
	icon_url: optional(webUrl("https only.")),
	accent_color: optional(text({ min: 0, max: 7, pattern: `${BRAND_COLOR.source}|^$` })),
	support_email: optional(email()),
	sender_name: optional(nameText({ min: 0, max: BRAND_NAME_MAX })),
	sender_address: optional(
		email(
			"The installation's sender address, the same with a `+tag`, or one of the tenant's `sender_addresses`.",
		),
	),
	sign_in_text: optional(text({ min: 0, max: SIGN_IN_TEXT_MAX, description: "One line." })),
	footer_links: optional(
		list(object({ label: nameText({ max: FOOTER_LABEL_MAX }), url: text({ max: FOOTER_URL_MAX }) }), {
			max: FOOTER_LINKS_MAX,
			description: "Each `url` is an https URL or a `mailto:` link.",
			examples: [[{ label: "Privacy", url: "https://www.example.com/privacy" }]],
		}),
	),
	corner_radius: optional(nullable(integer({ min: 0, max: CORNER_RADIUS_MAX }))),
});
const fromBody = fromWire(body);
const toWireForm = toWire(brandSchema);

export function toWireBrand(brand: Brand, own: BrandTexts | undefined) {
	return toWireForm({ ...brand, customized: wireNames(setTexts(own)) });
}

export function brandEndpoints(platform: Platform) {
	return {
		get: endpoint<Visitor>()({
			name: "getBranding",
			summary: "Get the branding of a tenant",
			description:
				"The branding of the tenant in `X-Tenant-ID`, or of `default`. Public; can be cached for five minutes.",
			response: {
				...data(200, brandSchema, "The branding of mails and pages, with the installation's as the default."),
				headersOf: () => ({
					"cache-control": `public, max-age=${SHARED_SECONDS}`,
					vary: "X-Tenant-ID",
				}),
			},
			async handle({ caller: { tenantId } }) {
				const own = await platform.db.stores.brands.find(tenantId);
				return toWireBrand(await readBrand(platform, tenantId), own);
			},
		}),

		put: endpoint<Administrator>()({
			name: "putBranding",
			summary: "Set the branding of the tenant",
			description:
				"Replaces all fields. An absent or empty field uses the installation's value. An admin key cannot set another `sender_address`.",
			errors: ["admin_key.not_allowed"],
			body,
			response: data(200, brandSchema, "The new branding of mails and pages."),
			async handle({ caller, body: fields }) {
				const texts = { ...UNSET_BRAND, ...fromBody(fields) };
				return toWireBrand(await putBrand(platform, texts, caller), texts);
			},
		}),
	};
}
