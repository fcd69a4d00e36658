// An OpenID Connect interaction: what the application requests, and the responses to it.

import { send } from "../api/request.ts";
import type { Schemas } from "../api/routes.ts";
import { session } from "../api/session.ts";
import { requestedLanguage } from "../words/language.ts";
import { changeLanguage } from "../words/words.ts";

export type Interaction = Schemas["Interaction"];

/** In the language that the application requests. @throws ApiError `interaction.not_found` */
export async function openInteraction(id: string): Promise<Interaction> {
	const { data } = (await send("GET", pathOf(id))) as { readonly data: Interaction };
	await showRequestedLanguage(data.ui_locales);
	return data;
}

/**
 * Returns the URL where the browser continues, by navigation, with this session's cookie. All actions except `deny` need
 * a session.
 *
 * @throws ApiError `interaction.sign_in_again` if the session is older than the application allows; other refusals.
 */
export async function completeInteraction(
	id: string,
	response: "continue" | "consent" | "deny",
): Promise<string> {
	const { accessToken } = session.value;
	const { data } = (await send("POST", `${pathOf(id)}/${response}`, { accessToken })) as {
		readonly data: Schemas["InteractionAnswer"];
	};
	return data.redirect_to;
}

function pathOf(id: string): string {
	return `/api/v1/auth/interactions/${encodeURIComponent(id)}`;
}

/** Applies it unless the user has chosen a language. @param tags in order of preference. */
export async function showRequestedLanguage(tags: readonly string[]): Promise<void> {
	const asked = session.value.user?.locale ? undefined : requestedLanguage(tags);
	if (asked !== undefined) await changeLanguage(asked);
}
