// How mails and pages present a tenant: product name, logo, color, support, and sender.

/** Limit of the names, in code points. */
export const BRAND_NAME_MAX = 60;
export const BRAND_COLOR = /^#[0-9a-f]{6}$/;

/** Each text is `""` when unset. */
export interface BrandTexts {
	readonly productName: string;
	/** https. */
	readonly logoUrl: string;
	/** `BRAND_COLOR`. */
	readonly accentColor: string;
	readonly supportEmail: string;
	readonly senderName: string;
	/** See `maySend`. */
	readonly senderAddress: string;
}

/** What mails and pages show: a tenant's texts, with the installation's as defaults. */
export interface Brand extends BrandTexts {
	/** Black or white, whichever is easier to read on `accentColor`. */
	readonly onAccentColor: string;
}

export interface BrandStore {
	find(tenantId: string): Promise<BrandTexts | undefined>;
	put(tenantId: string, texts: BrandTexts, nowMs: number): Promise<void>;
}

/**
 * Ignores a sender address that the tenant may not use (any more): the installation's sender or the list of the tenant
 * may have changed since.
 *
 * @param listed the tenant's `senderAddresses`.
 */
export function brandOf(
	installation: BrandTexts,
	tenant: BrandTexts | undefined,
	listed: readonly string[] = [],
): Brand {
	const own = Object.entries(tenant ?? {}).filter(([, text]) => text !== "");
	const chosen = { ...installation, ...Object.fromEntries(own) };
	if (!maySend(installation, listed, chosen.senderAddress)) chosen.senderAddress = installation.senderAddress;
	return { ...chosen, onAccentColor: readableOn(chosen.accentColor) };
}

/**
 * Whether a tenant may send mails from this address: the installation's own, the same with a `+tag`, or one that a
 * platform admin has listed for the tenant. Other addresses of the domain belong to people and systems that the tenant
 * could impersonate.
 */
export function maySend({ senderAddress }: BrandTexts, listed: readonly string[], address: string): boolean {
	const chosen = address.toLowerCase();
	const [own, given] = [partsOf(senderAddress.toLowerCase()), partsOf(chosen)];
	const isTagged = given.name.startsWith(`${own.name}+`) && given.domain === own.domain;
	return isTagged || chosen === senderAddress.toLowerCase() || listed.includes(chosen);
}

function partsOf(address: string): { readonly name: string; readonly domain: string } {
	const at = address.lastIndexOf("@");
	return { name: address.slice(0, at), domain: address.slice(at + 1) };
}

/** WCAG 2.2, relative luminance: one of the two has a contrast of at least 4.5 on every color. */
export function readableOn(color: string): "#000000" | "#ffffff" {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
		linear(Number.parseInt(color.slice(at, at + 2), 16)),
	);
	const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? "#000000" : "#ffffff";
}

function linear(byte: number): number {
	const part = byte / 255;
	return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
