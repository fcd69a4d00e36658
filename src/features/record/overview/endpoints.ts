// `/overview`: what needs attention, counted, and what is still to be set up.

import type { Reviewer } from "../../../domain/request-queue.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { boolean, integer, nullable, object } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { readOverview } from "./read-overview.ts";

const firstStepsSchema = object(
	{
		has_colleague: boolean("Whether the tenant has a second user."),
		has_second_factor: nullable(boolean("Whether the caller has a second factor; null for an admin key.")),
		has_mail_server: nullable(
			boolean(
				"Whether the installation sends mail through a mail server instead of writing files; null for callers without the role platform_admin.",
			),
		),
		has_brand: boolean("Whether pages and mails have a name, a logo, or a color of your own."),
		has_application: boolean(),
		has_decided: boolean("Whether a request was approved or rejected."),
	},
	{ title: "FirstSteps" },
);

const count = (description: string) => nullable(integer({ description }));
const overviewSchema = object(
	{
		pending_requests: integer(
			"Requests of every kind that are waiting for a decision, as far as the caller sees them.",
		),
		expiring_api_clients: count("Active live API clients that expire within 30 days."),
		locked_users: count("Users whose password or authenticator codes are refused until they are unlocked."),
		failing_webhooks: count("Webhooks whose deliveries fail, or that were disabled for it."),
		failed_mails: count("Mails of the last 30 days that failed permanently."),
		waiting_mails: count("Mails in the outbox."),
		writes_mails_to_files: nullable(
			boolean("Whether mails are written to files, because no mail server is set."),
		),
		first_steps: nullable(firstStepsSchema),
	},
	{ title: "Overview" },
);
const toWireOverview = toWire(overviewSchema);
const toWireFirstSteps = toWire(firstStepsSchema);

export function overviewEndpoints(platform: Platform) {
	return {
		get: endpoint<Reviewer>()({
			name: "getOverview",
			summary: "Count what needs attention",
			description:
				"Counts of the lists that the console links to, and the first steps of a new tenant. Null is what the caller's roles do not allow to list: reviewers, and members of the reviewers of an application, see requests only, and only admins see mails, how they are sent, and first steps.",
			response: data(200, overviewSchema, "The counts."),
			async handle({ caller }) {
				const { firstSteps, ...counts } = await readOverview(platform, caller);
				return toWireOverview({ ...counts, firstSteps: firstSteps && toWireFirstSteps(firstSteps) });
			},
		}),
	};
}
