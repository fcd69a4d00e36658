// Gates for tests.

import { APPLICATIONS, addApplication } from "./applications.ts";
import type { TestService } from "./service.ts";
import type { DataOf } from "./wire-body.ts";

/** Puts a gate in front of an application, by default of a new one and without rules. */
export async function addGate(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
	appId?: string,
): Promise<DataOf<"PUT /api/v1/applications/{id}/gate">> {
	const id = appId ?? (await addApplication(service)).id;
	return await service.asAdmin("PUT", `${APPLICATIONS}/${id}/gate`, { rules: [], ...fields });
}
