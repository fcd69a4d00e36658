// `/auth/programs/requests` for the page of people whose program was not reviewed yet.

import { hostOf } from "../../../domain/program-document.ts";
import { PROGRAM_REASON_MAX, PROGRAM_REASON_MIN } from "../../../domain/program-request.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import {
	boolean,
	choice,
	list,
	multilineText,
	nullable,
	object,
	plain,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { ASKED_STATES, askForProgram, viewAskedProgram } from "./ask-program.ts";
import { toWireRedirect } from "./program-wire.ts";

const names = {
	asked_program_id: { pattern: /^[A-Za-z0-9_-]{16,64}$/, code: "request.not_found" },
} as const;

const askedSchema = object(
	{
		client_id: plain({
			description: "The URL by which the program names itself.",
			examples: ["https://agent.example/client.json"],
		}),
		host: plain({ description: "Of that URL, in ASCII.", examples: ["agent.example"] }),
		name: nullable(plain("From the document; null until it was read.")),
		state: choice(ASKED_STATES, { description: "`unknown`: no user has requested the program yet." }),
		review_note: plain("Of a rejection."),
		redirect_host: plain("Where the program wants to receive the code."),
		is_on_device: boolean("The code goes to a program on this device."),
		apis: list(plain(), { description: "Names of the APIs that the program requests." }),
		takes_requests: boolean("Whether the tenant accepts requests for programs."),
		has_asked: boolean(),
		continue_url: nullable(plain("Redirect the browser here once the program is approved.")),
		deny_url: nullable(
			plain("Returns `access_denied` to the program; null unless its document lists the redirect URI."),
		),
	},
	{ title: "AskedProgram" },
);

const toWireAsked = toWire(askedSchema);

export function programAskerEndpoints(platform: Platform) {
	return {
		get: endpoint<SignedIn>()({
			name: "getAskedProgram",
			summary: "Get a program that was not reviewed yet",
			description:
				"For the page of the service. `/oauth/authorize` sends the browser to it if the program was not reviewed; the id is in the query parameter `request`, valid for an hour. Nothing is read from the Internet.",
			names,
			response: data(200, askedSchema, "The program."),
			secret: true,
			async handle({ ids, caller }) {
				const { asked, document, ...seen } = await viewAskedProgram(platform, ids.asked_program_id, caller);
				const { host: redirectHost, is_on_device: isOnDevice } = toWireRedirect(asked.redirectUri, asked.url);
				const named = { clientId: asked.url, host: hostOf(asked.url), name: document?.name ?? null };
				return toWireAsked({ ...seen, ...named, redirectHost, isOnDevice });
			},
		}),
		ask: endpoint<SignedIn>()({
			name: "askForProgram",
			summary: "Request access for a program",
			description:
				"Reads the document of the program, at most 64 KiB within 3 s, and without redirects; a request that is pending is joined instead. Reviewers decide, and the service mails everyone who requested the program. A user may make five requests an hour.",
			names,
			body: object({
				reason: multilineText({
					min: PROGRAM_REASON_MIN,
					max: PROGRAM_REASON_MAX,
					description: "Why you need the program, for the reviewers.",
					examples: ["To list my tasks in the editor."],
				}),
			}),
			response: empty(202, "The request waits for a review."),
			errors: [
				"application.token",
				"program.document",
				"program_request.not_taken",
				"program_request.too_many",
				"program_request.queue_full",
			],
			handle: ({ ids, body, caller }) => askForProgram(platform, ids.asked_program_id, body.reason, caller),
		}),
	};
}
