// What the sign-in page needs for an application: its public description, and the ticket that signs the user in to it.

import { REDIRECT_URI_MAX } from "../../../domain/application.ts";
import { oauthClientExists } from "../../../domain/oauth-client.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { STATE_MAX, TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { exactQuery } from "../../../http/query-parameters.ts";
import { exactText, integer, object, optional, plain, uuid } from "../../../http/schema.ts";
import { fromWire, toWire } from "../../../http/wire-form.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { issueTicket } from "./issue-ticket.ts";
import { codeChallenge, ENTRY_ERRORS } from "./sign-in-wire.ts";

const shownApplication = object(
	{
		id: plain({ format: "uuid" }),
		name: plain(),
		description: plain(),
		homepage_url: plain(),
		logo_url: plain(),
	},
	{ title: "SignInApplication" },
);
const toWireApplication = toWire(shownApplication);

const ticketBody = object({
	app_id: uuid({ description: "The application to continue to." }),
	redirect_uri: exactText({
		max: REDIRECT_URI_MAX,
		description: "Exactly one of the application's redirect URIs.",
	}),
	state: optional(
		exactText({
			max: STATE_MAX,
			description: "Returned to the application unchanged.",
			examples: ["b7Yq0mW7"],
		}),
	),
	code_challenge: optional(codeChallenge),
});

const fromTicketBody = fromWire(ticketBody);

export function ticketEndpoints(platform: Platform) {
	const { applications, oauthClients } = platform.db.stores;
	return {
		application: endpoint<Visitor>()({
			name: "getSignInApplication",
			summary: "Get the public description of an application",
			description:
				"Requires exactly one of the application's redirect URIs. Any other URL, a disabled application, and an unknown one return the same 404. An application with an OAuth client that signs users in returns 409.",
			ids: { id: "application.not_found" },
			query: {
				redirect_uri: exactQuery(REDIRECT_URI_MAX, "The URL to which the user returns. Required."),
			},
			response: data(200, shownApplication, "The application."),
			errors: ["oauth_client.exists"],
			async handle({ caller: { tenantId }, ids: { id }, query: { redirect_uri = "" } }) {
				const application = await applications.findById(tenantId, id);
				if (application?.status !== "active" || !application.redirectUris.includes(redirect_uri))
					throw new AppError("application.not_found", "no application has this id and redirect URI");
				if (await oauthClients.isAnySigningIn(tenantId, [id])) throw oauthClientExists();
				return toWireApplication(application);
			},
		}),

		issue: endpoint<SignedIn>()({
			name: "issueTicket",
			summary: "Continue to an application",
			description: `For a user who is signed in without \`app_id\`. Redirect the browser to \`redirect_to\`, the redirect URI with \`ticket\` and \`state\`. The application exchanges the ticket once, within ${TICKET_SECONDS} seconds, with \`POST /auth/third-party/token\`. The account, access to the application, and second factors are checked as at any sign-in. Returns 403 \`mfa.required\` if this session lacks a required second factor.`,
			body: ticketBody,
			response: data(
				200,
				object(
					{
						redirect_to: plain({
							description: "Redirect the browser here.",
							examples: ["https://app.example.com/signed-in?ticket=b7Yq0mW7&state=b7Yq0mW7"],
						}),
						expires_in: integer({ description: "Seconds until the ticket expires." }),
					},
					{ title: "IssuedTicket" },
				),
				"The ticket is issued.",
			),
			errors: [
				"application.token",
				"redirect_uri.not_registered",
				"oauth_client.exists",
				"mfa.required",
				...ENTRY_ERRORS,
			],
			secret: true,
			async handle({ caller, body }) {
				const request = { state: "", codeChallenge: "", ...fromTicketBody(body) };
				return { redirect_to: await issueTicket(platform, request, caller), expires_in: TICKET_SECONDS };
			},
		}),
	};
}
