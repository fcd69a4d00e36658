// Adds records whose names contain markup and right-to-left text.

import { submit } from "../access/access-requests.ts";
import { addApplication, addRole, putGrant } from "../access/applications.ts";
import { addGroup, putGroupGrant } from "../access/groups.ts";
import { addConsent } from "../openid/consents.ts";
import { addContestedResource } from "../openid/oauth-clients.ts";
import { addProgram, addProgramRequest } from "../openid/programs.ts";
import { addPerson, type Person } from "../people/people.ts";
import type { TestService } from "../service/service.ts";

/** A name that executes unless it is escaped, and reorders its neighbors unless it is isolated. */
export const HOSTILE = `ليلى <img src=x onerror="document.title='taken over'">`;

export interface HostileData {
	/** An administrator. */
	readonly admin: Person;
	readonly ids: Readonly<Record<string, string>>;
}

/** Adds one record of each kind, listed in `ids`, and a second application, user, and access request. */
export async function addHostileData(service: TestService): Promise<HostileData> {
	const admin = await addPerson(service, "robin", {
		display_name: HOSTILE,
		roles: ["admin", "platform_admin"],
	});
	const person = await addPerson(service, "layla", { display_name: HOSTILE });
	await addPerson(service, "mona", { display_name: HOSTILE });
	const application = await addApplication(service, { name: HOSTILE, description: HOSTILE });
	const second = await addApplication(service, { name: `${HOSTILE} 2` });
	await addConsent(service, admin, second.id);
	await addRole(service, application.id, "clerk", ["orders:read"]);
	await putGrant(service, application.id, person.id, ["clerk"]);
	const group = await addGroup(service, [person.id], { name: HOSTILE, description: HOSTILE });
	await putGroupGrant(service, application.id, group.id, ["clerk"]);
	const client = await service.asAdmin("POST", "/api/v1/api-clients", {
		app_id: application.id,
		name: HOSTILE,
	});
	const webhook = await service.asAdmin("POST", "/api/v1/webhooks", {
		url: "https://hooks.partner.example/latchkey",
		description: HOSTILE,
		event_types: ["user.*"],
	});
	const provider = await service.asAdmin("POST", "/api/v1/identity-providers", {
		provider: "github",
		kind: "github",
		display_name: HOSTILE,
		client_id: "latchkey",
		client_secret: "as the provider gave it",
	});
	await addContestedResource(service, "https://contested.example/api");
	const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
	const requests = [];
	for (const company of ["Engines", HOSTILE])
		requests.push(
			await submit(service, { applicant_name: HOSTILE, company, project_name: HOSTILE, purpose: HOSTILE }),
		);
	const [request, otherRequest] = requests.map(({ id }) => id);
	return {
		admin,
		ids: {
			person: person.id,
			application: application.id,
			group: group.id,
			client: client.id,
			webhook: webhook.id,
			provider: provider.id,
			program: await addProgram(service, HOSTILE),
			programRequest: await addProgramRequest(service, tenant_id, HOSTILE),
			otherProgramRequest: await addProgramRequest(service, tenant_id, HOSTILE),
			request: request ?? "",
			otherRequest: otherRequest ?? "",
		},
	};
}
