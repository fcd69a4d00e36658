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
	/** On the domain of the installation's sender. */
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

/** Ignores a sender address on another domain: an operator may have changed the installation's sender since. */
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
