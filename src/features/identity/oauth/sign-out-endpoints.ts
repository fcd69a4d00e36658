// The endpoint of the page that asks the user to confirm a sign-out that an application requested.

import { data, endpoint } from "../../../http/endpoint.ts";
import { list, nullable, object, plain } from "../../../http/schema.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { findAskedSignOut } from "./request-sign-out.ts";

const ID = { sign_out_id: { pattern: /^[A-Za-z0-9_-]{16,64}$/, code: "sign_out.not_found" } } as const;

const shown = object(
	{
		application: nullable(
			object({
				id: plain({ format: "uuid" }),
				name: plain(),
				homepage_url: plain(),
				logo_url: plain(),
			}),
		),
		redirect_to: nullable(
			plain({ description: "Where the browser goes after the sign-out, by navigation." }),
		),
		logout_hint: plain({
			description: 'Whom the application means: user name, email address or `sub`; `""` without a hint.',
		}),
		ui_locales: list(plain()),
	},
	{ title: "AskedSignOut" },
);

export function signOutEndpoints(platform: Platform) {
	return {
		get: endpoint<undefined>()({
			name: "getAskedSignOut",
			summary: "Get which application asks to sign a person out",
			description:
				"For the pages of the service. The id is that of the query `request`, with which `/oauth/end-session` sends a browser to `/sign-out`; it lives for an hour. `application` is null where none was named.",
			names: ID,
			response: data(200, shown, "The sign-out."),
			secret: true,
			async handle({ ids }) {
				const gone = () =>
					new AppError("sign_out.not_found", "no such sign-out, or it is older than an hour");
				const { asked, client } = found(await findAskedSignOut(platform, ids.sign_out_id), gone);
				return {
					application: client === undefined ? null : toWire(client.applicationId, client.application),
					redirect_to: asked.redirectTo,
					logout_hint: asked.logoutHint,
					ui_locales: [...asked.uiLocales],
				};
			},
		}),
	};
}

function toWire(
	id: string,
	{ name, homepageUrl, logoUrl }: { name: string; homepageUrl: string; logoUrl: string },
) {
	return { id, name, homepage_url: homepageUrl, logo_url: logoUrl };
}
