// The logos and icons that tenants upload for themselves and for their applications.

import { AppError, invalidField } from "../kernel/error.ts";
import { cleanPng, PNG_SIDE_MAX } from "./png.ts";

/** A tenant has a logo for light pages, one for dark ones, and an icon for browser tabs. */
export const LOGO_VARIANTS = ["light", "dark", "icon"] as const;
export type LogoVariant = (typeof LOGO_VARIANTS)[number];

export const IMAGE_TYPE = "image/png";
export const IMAGE_DIGEST = /^[0-9a-f]{64}$/;

/** Each subject, a tenant or an application, has at most one image per variant. */
export interface Image {
	readonly subjectId: string;
	readonly variant: LogoVariant;
	readonly tenantId: string;
	/** SHA-256 of the content in hexadecimal. */
	readonly digest: string;
	/** PNG in base64. */
	readonly content: string;
	readonly updatedAtMs: number;
}

export interface ImageStore {
	findByDigest(digest: string): Promise<Image | undefined>;
	put(image: Image): Promise<void>;
	remove(tenantId: string, subjectId: string, variant: LogoVariant): Promise<boolean>;
}

/** The URL of an image never serves other content. */
export function imageUrl(publicUrl: string, digest: string): string {
	return `${publicUrl}/api/v1/images/${digest}`;
}

/**
 * The uploaded image without what pages and mails do not show.
 *
 * @throws AppError `request.invalid` (`image`).
 */
export function parseImage(bytes: Buffer): Buffer {
	const image = cleanPng(bytes);
	if (image === "pixels_max") throw invalidField("image", "pixels_max", { max: PNG_SIDE_MAX });
	if (image === "png") throw invalidField("image", "png");
	return image;
}

export function imageNotFound(): AppError {
	return new AppError("image.not_found", "no such image");
}
