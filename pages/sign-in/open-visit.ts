// What the sign-in page needs before its first view: sign-in methods and the requesting application.

import { send } from "../api/request.ts";
import type { Schemas } from "../api/routes.ts";
import { openTenant, type SignInMethods } from "../api/tenant.ts";
import { type Interaction, openInteraction } from "./interaction.ts";
import type { Visit } from "./visit.ts";

export type Methods = SignInMethods;

interface OpenedVisit {
	readonly methods: Methods;
	readonly application: Pick<Schemas["SignInApplication"], "id" | "name" | "logo_url"> | undefined;
	readonly interaction: Interaction | undefined;
}

/**
 * Later calls use the tenant of the visit.
 *
 * @throws ApiError `tenant.not_found`, `interaction.not_found`; `application.not_found`, also for a redirect URI that is not
 * registered.
 */
export async function openVisit({ application, ...visit }: Visit): Promise<OpenedVisit> {
	const interaction = visit.interaction === undefined ? undefined : await openInteraction(visit.interaction);
	const methods = await openTenant(interaction?.tenant.slug ?? visit.tenant);
	if (application === undefined || interaction !== undefined)
		return { methods, application: interaction?.application, interaction };
	const address = new URLSearchParams({ redirect_uri: application.redirectUri });
	const path = `/api/v1/auth/applications/${encodeURIComponent(application.appId)}`;
	const { data } = (await send("GET", `${path}?${address}`)) as Schemas["SignInApplicationResponse"];
	return { methods, application: data, interaction };
}
