// What pages show the user about an application that requests access.

import type { Application } from "../../../domain/application.ts";
import type { RequestedScopes } from "../../../domain/oauth-consent.ts";
import { hostOf } from "../../../domain/program-document.ts";
import { isOnDevice } from "../../../domain/redirect-uri.ts";
import { boolean, type Infer, list, nullable, object, plain } from "../../../http/describe/schema.ts";
import type { Needs } from "../../platform.ts";
import { listRequestedApis, resolveRequested } from "./decide-interaction.ts";

export const presentedApplication = object({
	id: plain({ format: "uuid" }),
	name: plain(),
	homepage_url: plain(),
	logo_url: plain(),
});

/** A program has no logo: it could imitate another one. */
export function toWireApplication(
	id: string,
	{ kind, name, homepageUrl, logoUrl }: Pick<Application, "kind" | "name" | "homepageUrl" | "logoUrl">,
) {
	return { id, name, homepage_url: homepageUrl, logo_url: kind === "program" ? "" : logoUrl };
}

/** Null for an application that is no program. */
export const presentedProgram = nullable(
	object({
		host: plain("Of the URL by which the program names itself, in ASCII."),
		redirect_host: plain("Receives the code."),
		is_on_device: boolean("The code goes to a program on this device."),
	}),
);

export function toWireProgramHosts(url: string, redirectUri: string): Infer<typeof presentedProgram> {
	return { host: hostOf(url), redirect_host: hostOf(redirectUri), is_on_device: isOnDevice(redirectUri) };
}

const requestedScope = object({
	name: plain({ description: "A permission of the API.", examples: ["orders:read"] }),
	description: nullable(
		object(
			{ en: plain({ examples: ["Read your orders"] }), zh: plain({ examples: ["查看您的订单"] }) },
			{ description: "What it allows, in English and Chinese." },
		),
	),
});

export const requestedApisSchema = list(
	object({
		resource: plain(),
		name: plain("The name of the application that is this API."),
		scopes: list(requestedScope, {
			description: "What the application requests there, beyond what the OpenID scopes contain.",
		}),
	}),
	{ description: "The APIs for which the application gets tokens." },
);

/** The requested APIs, as pages show them. */
export async function describeApis(
	needs: Needs<"oauthClients" | "applicationRoles", "openIdRules">,
	tenantId: string,
	requested: RequestedScopes,
): Promise<Infer<typeof requestedApisSchema>> {
	const { apiScopes } = await resolveRequested(needs, tenantId, requested);
	const described = [];
	for (const api of await listRequestedApis(needs, tenantId, requested.resources)) {
		const { resource, applicationId, application } = api;
		const names = apiScopes[resource ?? ""] ?? [];
		const roles = await needs.db.stores.applicationRoles.listAll(tenantId, applicationId);
		const descriptions = roles.flatMap((role) => role.permissionDescriptions);
		const scopes = names.map((name) => {
			const found = descriptions.find(({ permission }) => permission === name);
			return { name, description: found === undefined ? null : { en: found.en, zh: found.zh } };
		});
		described.push({ resource: resource ?? "", name: application.name, scopes });
	}
	return described;
}
