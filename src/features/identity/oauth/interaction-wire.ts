// What pages show the user about an application that requests access.

import type { Application } from "../../../domain/application.ts";
import { list, object, plain } from "../../../http/schema.ts";

export const presentedApplication = object({
	id: plain({ format: "uuid" }),
	name: plain(),
	homepage_url: plain(),
	logo_url: plain(),
});

export function toWireApplication(
	id: string,
	{ name, homepageUrl, logoUrl }: Pick<Application, "name" | "homepageUrl" | "logoUrl">,
) {
	return { id, name, homepage_url: homepageUrl, logo_url: logoUrl };
}

export const requestedApisSchema = list(
	object({
		resource: plain(),
		name: plain({ description: "The name of the application that is this API." }),
	}),
	{ description: "The APIs for which the application gets tokens." },
);
