// `/images` and `/branding/logo`: uploaded logos.

import type { Administrator } from "../../../domain/caller.ts";
import { IMAGE_DIGEST, IMAGE_TYPE, imageNotFound, LOGO_VARIANTS } from "../../../domain/image.ts";
import { data, empty, endpoint, immutablePng } from "../../../http/describe/endpoint.ts";
import { oneOf } from "../../../http/describe/query-parameters.ts";
import { found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { brandSchema, toWireBrand } from "./brand-endpoints.ts";
import { deleteLogo, putLogo } from "./put-brand.ts";

const query = {
	variant: oneOf(
		LOGO_VARIANTS,
		"`light` (the default): mails, and pages in light colors, or in both without `dark`; `dark`: pages in dark colors; `icon`: browser tabs.",
	),
};

export function imageEndpoints(platform: Platform) {
	return {
		get: endpoint<undefined>()({
			name: "getImage",
			summary: "Get an uploaded logo",
			description: "Public. The URL contains the digest of the image, so that it can be cached for a year.",
			names: { digest: { pattern: IMAGE_DIGEST, code: "image.not_found" } },
			response: immutablePng("The image."),
			async handle({ ids: { digest } }) {
				const image = found(await platform.db.stores.images.findByDigest(digest), imageNotFound);
				return Buffer.from(image.content, "base64");
			},
		}),

		put: endpoint<Administrator>()({
			name: "putLogo",
			summary: "Upload a logo of the tenant",
			description:
				"The body is a PNG image of at most 64 KiB and 2,048 × 2,048 pixels. The service removes its metadata and sets `logo_url`, `logo_dark_url`, or `icon_url` to the URL of the image.",
			query,
			file: IMAGE_TYPE,
			response: data(200, brandSchema, "The new branding."),
			async handle({ caller, query: { variant = "light" }, request: { rawBody } }) {
				const brand = await putLogo(platform, variant, rawBody, caller);
				return toWireBrand(brand, await platform.db.stores.brands.find(caller.tenantId));
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteLogo",
			summary: "Delete a logo of the tenant",
			description: "Pages and later mails show the installation's logo. Earlier mails show the product name.",
			query,
			errors: ["image.not_found"],
			response: empty(204, "The logo is deleted."),
			handle: ({ caller, query: { variant = "light" } }) => deleteLogo(platform, variant, caller),
		}),
	};
}
