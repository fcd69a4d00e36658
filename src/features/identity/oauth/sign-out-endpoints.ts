// The endpoint of the page where the user confirms a sign-out that an application requested.

import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { list, nullable, object, plain } from "../../../http/describe/schema.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { presentedApplication, toWireApplication } from "./interaction-wire.ts";
import { findRequestedSignOut } from "./request-sign-out.ts";

const signOutSchema = object(
	{
		application: nullable(presentedApplication),
		redirect_to: nullable(plain("Redirect the browser here after the sign-out.")),
		logout_hint: plain(
			'The user that the application wants to sign out: username, email address, or `sub`; `""` without a hint.',
		),
		ui_locales: list(plain()),
	},
	{ title: "RequestedSignOut" },
);

export function signOutEndpoints(platform: Platform) {
	return {
		get: endpoint<undefined>()({
			name: "getRequestedSignOut",
			summary: "Get a sign-out that an application requested",
			description:
				"For the pages of the service. `/oauth/end-session` sends the browser to `/sign-out` with the id in the query parameter `request`. The id is valid for an hour. `application` is null if the request did not name one.",
			names: { sign_out_id: { pattern: /^[A-Za-z0-9_-]{16,64}$/, code: "sign_out.not_found" } },
			response: data(200, signOutSchema, "The sign-out."),
			secret: true,
			async handle({ ids }) {
				const notFound = () =>
					new AppError("sign_out.not_found", "no such sign-out, or it is older than an hour");
				const { signOut, client } = found(await findRequestedSignOut(platform, ids.sign_out_id), notFound);
				return {
					application:
						client === undefined ? null : toWireApplication(client.applicationId, client.application),
					redirect_to: signOut.redirectTo,
					logout_hint: signOut.logoutHint,
					ui_locales: [...signOut.uiLocales],
				};
			},
		}),
	};
}
