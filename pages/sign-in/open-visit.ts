// What the sign-in page needs before its first view: sign-in methods and the requesting application.

import { openTenant, type SignInMethods } from "../api/tenant.ts";
import { type Interaction, openInteraction } from "./interaction.ts";
import type { Visit } from "./visit.ts";

export type Methods = SignInMethods;

interface OpenedVisit {
	readonly methods: Methods;
	readonly application: Interaction["application"] | undefined;
	readonly interaction: Interaction | undefined;
}

/** Later calls use the tenant of the visit. @throws ApiError `tenant.not_found`, `interaction.not_found`. */
export async function openVisit(visit: Visit): Promise<OpenedVisit> {
	const interaction = visit.interaction === undefined ? undefined : await openInteraction(visit.interaction);
	const methods = await openTenant(interaction?.tenant.slug ?? visit.tenant);
	return { methods, application: interaction?.application, interaction };
}
