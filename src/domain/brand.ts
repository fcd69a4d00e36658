// How mails and pages present a tenant: product name, logo, color, support, and sender.

/** Limit of the names, in code points. */
export const BRAND_NAME_MAX = 60;
export const BRAND_COLOR = /^#[0-9a-f]{6}$/;
/** In code points. */
export const SIGN_IN_TEXT_MAX = 200;
export const FOOTER_LINKS_MAX = 5;
export const FOOTER_LABEL_MAX = 40;
export const FOOTER_URL_MAX = 2048;
/** In pixels. */
export const CORNER_RADIUS_MAX = 24;

/** A link at the foot of the public pages. */
export type FooterLink = {
	readonly label: string;
	/** https or mailto. */
	readonly url: string;
};

/** What is unset: `""`, no links, null. */
export interface BrandTexts {
	readonly productName: string;
	/** https: the logo in mails, and on pages if it was uploaded. */
	readonly logoUrl: string;
	/** https: the logo on dark pages. */
	readonly logoDarkUrl: string;
	/** https: the icon of browser tabs. */
	readonly iconUrl: string;
	/** `BRAND_COLOR`. */
	readonly accentColor: string;
	readonly supportEmail: string;
	readonly senderName: string;
	/** See `maySend`. */
	readonly senderAddress: string;
	/** One sentence below the title of the sign-in page. */
	readonly signInText: string;
	readonly footerLinks: readonly FooterLink[];
	/** Of buttons, fields, and cards. */
	readonly cornerRadius: number | null;
}

export const UNSET_BRAND: BrandTexts = {
	productName: "",
	logoUrl: "",
	logoDarkUrl: "",
	iconUrl: "",
	accentColor: "",
	supportEmail: "",
	senderName: "",
	senderAddress: "",
	signInText: "",
	footerLinks: [],
	cornerRadius: null,
};

/** The part of a brand that is set. */
export function setTexts(texts: BrandTexts | undefined): Partial<BrandTexts> {
	const isSet = (value: unknown): boolean => value !== null && String(value) !== "";
	return Object.fromEntries(Object.entries(texts ?? {}).filter(([, value]) => isSet(value)));
}

/** What mails and pages show: a tenant's texts, with the installation's as defaults. */
export interface Brand extends BrandTexts {
	/** Black or white, whichever is easier to read on `accentColor`. */
	readonly onAccentColor: string;
}

export interface BrandStore {
	find(tenantId: string): Promise<BrandTexts | undefined>;
	/** Until the transaction ends, no other one changes the brand. */
	lock(tenantId: string): Promise<BrandTexts | undefined>;
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
	const chosen = { ...installation, ...setTexts(tenant) };
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
