// People and API clients without use.

import { disableDormant } from "../../../src/jobs/disable-dormant.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

/** Sets after how many days of a tenant people, and API clients, are disabled. */
export async function setDormancy(
	service: TestService,
	dormant_after_days: number | null,
	client_dormant_after_days: number | null = null,
	tenantId?: string,
): Promise<void> {
	const id = tenantId ?? (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
	await service.asAdmin("PATCH", `/api/v1/tenants/${id}`, { dormant_after_days, client_dormant_after_days });
}

/** Runs the job as another node would. @returns the number of accounts that it warned or disabled */
export async function runDormancy(service: TestService): Promise<number> {
	await using beside = await openBeside(service);
	return await disableDormant({ ...beside, publicUrl: service.httpsUrl, wakeMail: () => undefined });
}
