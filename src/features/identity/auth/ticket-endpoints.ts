// What the sign-in page needs for an application: its public description, and the ticket that signs the user in to it.

import { REDIRECT_URI_MAX } from "../../../domain/application.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { STATE_MAX, TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { exactQuery } from "../../../http/query-parameters.ts";
import { exactText, integer, object, optional, plain, text, uuid } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { issueTicket } from "./issue-ticket.ts";
import { ENTRY_ERRORS } from "./sign-in-wire.ts";

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
	app_id: uuid({ description: "The application to go on to." }),
	redirect_uri: exactText({
		max: REDIRECT_URI_MAX,
		description: "One of the application's redirect URIs, character by character.",
	}),
	state: optional(
		exactText({
			max: STATE_MAX,
			description: "Returned to the application unchanged.",
			examples: ["b7Yq0mW7"],
		}),
	),
	code_challenge: optional(
		text({
			max: 43,
			pattern: "^[A-Za-z0-9_-]{43}$",
			description:
				"From the application: base64url SHA-256 of a `code_verifier` it keeps (RFC 7636, S256). Only it can exchange the ticket then.",
		}),
	),
});

export function ticketEndpoints(platform: Platform) {
	const { applications } = platform.db.stores;
	return {
		application: endpoint<Visitor>()({
			name: "getSignInApplication",
			summary: "Get the public description of an application",
			description:
				"Only with one of the application's redirect URIs, character by character: any other URL, a disabled application and an unknown one return the same 404.",
			ids: { id: "application.not_found" },
			query: {
				redirect_uri: exactQuery(REDIRECT_URI_MAX, "Where the user returns. Required."),
			},
			response: data(200, shownApplication, "The application."),
			async handle({ caller: { tenantId }, ids: { id }, query: { redirect_uri = "" } }) {
				const application = await applications.findById(tenantId, id);
				if (application?.status !== "active" || !application.redirectUris.includes(redirect_uri))
					throw new AppError("application.not_found", "no application has this id and redirect URI");
				return toWireApplication(application);
			},
		}),

		issue: endpoint<SignedIn>()({
			name: "issueTicket",
			summary: "Go on to an application",
			description: `For a person who is signed in without \`app_id\`. The browser goes to \`redirect_to\`, the redirect URI with \`ticket\` and \`state\`; the application exchanges the ticket with \`POST /auth/third-party/token\` within ${TICKET_SECONDS} seconds, once. The account, access to the application and second factors are checked as at any sign-in: 403 \`mfa.required\` where this session has no second factor and needs one.`,
			body: ticketBody,
			response: data(
				200,
				object(
					{
						redirect_to: plain({
							description: "Where the browser goes.",
							examples: ["https://app.example.com/signed-in?ticket=b7Yq0mW7&state=b7Yq0mW7"],
						}),
						expires_in: integer({ description: "Seconds until the ticket expires." }),
					},
					{ title: "IssuedTicket" },
				),
				"The ticket is issued.",
			),
			errors: ["application.token", "redirect_uri.not_registered", "mfa.required", ...ENTRY_ERRORS],
			secret: true,
			async handle({ caller, body }) {
				const {
					app_id: appId,
					redirect_uri: redirectUri,
					state = "",
					code_challenge: codeChallenge = "",
				} = body;
				const request = { appId, redirectUri, state, codeChallenge };
				return { redirect_to: await issueTicket(platform, request, caller), expires_in: TICKET_SECONDS };
			},
		}),
	};
}
