// `/users/me/request-mails`: when the current user is mailed about new requests.

import { REQUEST_MAIL_FREQUENCIES } from "../../../domain/request-mails.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { boolean, choice, object } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";

const frequency = choice(REQUEST_MAIL_FREQUENCIES, {
	description:
		"`at_once`, initially: one mail for each new request. `hourly`, `daily`: one mail that lists all that wait, an hour or a day after the first new one; none if nothing waits any more.",
});
const schema = object(
	{
		frequency,
		is_reviewer: boolean("Whether the user is mailed about requests."),
	},
	{ title: "RequestMails" },
);
const REVIEWS = ["reviewer", "admin"] as const;

export function requestMailEndpoints(platform: Platform) {
	const { requestMails, requests } = platform.db.stores;
	const read = async ({ tenantId, userId, user }: SignedIn) => ({
		frequency: await requestMails.frequencyOf(tenantId, userId),
		is_reviewer:
			REVIEWS.some((role) => user.roles.includes(role)) || (await requests.isReviewer(tenantId, userId)),
	});
	return {
		get: endpoint<SignedIn>()({
			name: "getMyRequestMails",
			summary: "Get when the current user is mailed about requests",
			response: data(200, schema, "The choice of the user."),
			errors: ["application.token"],
			async handle({ caller }) {
				checkInPerson(caller, "read the choice of its user");
				return await read(caller);
			},
		}),

		put: endpoint<SignedIn>()({
			name: "putMyRequestMails",
			summary: "Choose when to be mailed about requests",
			description:
				"For reviewers: users with the role `reviewer` or `admin`, and members of the reviewers of an application. A digest that waits is sent within a minute after a change.",
			body: object({ frequency }),
			response: data(200, schema, "The choice of the user."),
			errors: ["application.token"],
			async handle({ caller, body }) {
				const { setRequestMails } = await import("./set-request-mails.ts");
				await setRequestMails(platform, body.frequency, caller);
				return await read(caller);
			},
		}),
	};
}
