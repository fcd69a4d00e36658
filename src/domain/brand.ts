// How mails and pages present a tenant: product name, logo, colour, support and sender.

/** Limit of the names, in code points. */
export const BRAND_NAME_MAX = 60;
export const BRAND_COLOR = /^#[0-9a-f]{6}$/;

/** Each text is `""` when it is not set. */
export interface BrandTexts {
	readonly productName: string;
	/** https. */
	readonly logoUrl: string;
	/** `BRAND_COLOR`. */
	readonly accentColor: string;
	readonly supportEmail: string;
	readonly senderName: string;
	/** On the domain of the installation's sender. */
	readonly senderAddress: string;
}

/** What mails and pages show: a tenant's texts, and the installation's where it has none. */
export interface Brand extends BrandTexts {
	/** Black or white, whichever is read more easily on `accentColor`. */
	readonly onAccentColor: string;
}

export interface BrandStore {
	find(tenantId: string): Promise<BrandTexts | undefined>;
	put(tenantId: string, texts: BrandTexts, nowMs: number): Promise<void>;
}

/** An operator may have changed the installation's sender since: an address on another domain is not used. */
export function brandOf(installation: BrandTexts, tenant: BrandTexts | undefined): Brand {
	const own = Object.entries(tenant ?? {}).filter(([, text]) => text !== "");
	const chosen = { ...installation, ...Object.fromEntries(own) };
	if (!maySend(installation, chosen.senderAddress)) chosen.senderAddress = installation.senderAddress;
	return { ...chosen, onAccentColor: readableOn(chosen.accentColor) };
}

/** Whether mails may be sent from this address. */
export function maySend({ senderAddress }: BrandTexts, address: string): boolean {
	return domainOf(address) === domainOf(senderAddress);
}

export function domainOf(address: string): string {
	return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** WCAG 2.2, relative luminance: one of the two has a contrast of 4.5 at least on every colour. */
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
