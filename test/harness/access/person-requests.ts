// Applications whose roles people request, and their requests.

import { DAY_MS } from "../../../src/kernel/clock.ts";
import type { Person } from "../people/people.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";
import { APPLICATIONS, addApplication, addRole } from "./applications.ts";

export const MY_REQUESTS = "/api/v1/users/me/requests";
export const REQUESTABLE = "/api/v1/users/me/requestable";

type Fields = Readonly<Record<string, unknown>>;
type OwnRequest = DataOf<"POST /api/v1/users/me/requests">;

/** An application with the roles `reader`, `closer`, and `owner`, of which people may request the first two for 30 days. */
export async function addRequestable(
	service: TestService,
	requestable: Fields = {},
	fields: Fields = {},
): Promise<string> {
	const { id } = await addApplication(service, fields);
	for (const name of ["reader", "closer", "owner"]) await addRole(service, id, name, [`books:${name}`]);
	await service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, {
		requestable: { roles: ["reader", "closer"], longest: "P30D", ...requestable },
	});
	return id;
}

export function inDays(service: TestService, days: number): string {
	return new Date(service.clock.now() + days * DAY_MS).toISOString();
}

export function requestBody(service: TestService, appId: string, fields: Fields = {}): Fields {
	const until = inDays(service, 7);
	return { app_id: appId, roles: ["closer"], reason: "To close the books.", until, ...fields };
}

export async function requestRoles(
	service: TestService,
	{ token }: Pick<Person, "token">,
	appId: string,
	fields: Fields = {},
): Promise<OwnRequest> {
	const response = await service.call("POST", MY_REQUESTS, {
		token,
		body: requestBody(service, appId, fields),
	});
	if (response.status !== 201)
		throw new Error(`requesting returned ${response.status}: ${JSON.stringify(response.body)}`);
	return response.body.data;
}
