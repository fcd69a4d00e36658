// The brand of the tenant: kept in the browser, so that a document has its colours before the first answer.

import { applyBranding, type Branding } from "../ui/branding.ts";
import { send } from "./request.ts";

const KEY = "latchkey.brand";
const FRESH_MS = 10 * 60_000;

interface KeptBrand {
	readonly tenantId: string | undefined;
	readonly atMs: number;
	readonly brand: Branding;
}

/**
 * Applies the brand; asks the service when the kept one is older than ten minutes or of another tenant. Without an
 * answer the colours and the name of the product stay.
 */
export async function loadBrand(tenantId?: string): Promise<void> {
	const kept = readKept();
	if (kept !== undefined && kept.tenantId === tenantId) {
		applyBranding(kept.brand);
		if (Date.now() - kept.atMs < FRESH_MS) return;
		fetchBrand(tenantId).catch(reportError);
		return;
	}
	try {
		await fetchBrand(tenantId);
	} catch (error) {
		// The document works without; what it was opened for reports an unreachable service.
		reportError(error);
	}
}

/** After a change in the console, too. */
export function keepBrand(brand: Branding, tenantId?: string): void {
	applyBranding(brand);
	const kept: KeptBrand = { tenantId, atMs: Date.now(), brand };
	localStorage.setItem(KEY, JSON.stringify(kept));
}

async function fetchBrand(tenantId: string | undefined): Promise<void> {
	const { data } = (await send("GET", "/api/v1/branding", { tenantId })) as { data: Branding };
	keepBrand(data, tenantId);
}

function readKept(): KeptBrand | undefined {
	const text = localStorage.getItem(KEY);
	return text === null ? undefined : JSON.parse(text);
}
