// The tenant's brand, cached in the browser so that documents have its colors before the first response.

import { readStored, writeStored } from "../stored.ts";
import { applyBranding, type Branding } from "../ui/branding.ts";
import { send } from "./request.ts";

const KEY = "latchkey.brand";
const FRESH_MS = 10 * 60_000;

interface CachedBrand {
	readonly tenantId: string | undefined;
	readonly atMs: number;
	readonly brand: Branding;
}

/**
 * Applies the brand; fetches it if the cached one is older than ten minutes or belongs to another tenant. Without a
 * response, the default colors and product name stay.
 */
export async function loadBrand(tenantId?: string): Promise<void> {
	const cached = readCached();
	if (cached !== undefined && cached.tenantId === tenantId) {
		applyBranding(cached.brand);
		if (Date.now() - cached.atMs < FRESH_MS) return;
		fetchBrand(tenantId).catch(reportError);
		return;
	}
	try {
		await fetchBrand(tenantId);
	} catch (error) {
		// The document works without a brand; its own requests report an unavailable service.
		reportError(error);
	}
}

/** Also called after a change in the console. */
export function storeBrand(brand: Branding, tenantId?: string): void {
	applyBranding(brand);
	const cached: CachedBrand = { tenantId, atMs: Date.now(), brand };
	writeStored(KEY, JSON.stringify(cached));
}

async function fetchBrand(tenantId: string | undefined): Promise<void> {
	const { data } = (await send("GET", "/api/v1/branding", { tenantId })) as { data: Branding };
	storeBrand(data, tenantId);
}

function readCached(): CachedBrand | undefined {
	const text = readStored(KEY);
	return text === null ? undefined : JSON.parse(text);
}
