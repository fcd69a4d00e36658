// What the OpenAPI document says beside the routes: groups, example values, events.

import { WEBHOOK_DESCRIPTIONS, WEBHOOK_HEADERS } from "../features/record/webhooks/event-wire.ts";
import type { ApiDescription } from "../http/openapi.ts";
import { EXAMPLES } from "./api-examples.ts";

/** Every group of the route map: a row with another tag does not compile. */
const TAGS = {
	Health: { description: "The state of this process, for load balancers and people." },
	"Access requests": {
		description:
			"An outside developer applies for an API client; a reviewer decides; the applicant claims the Secret once.",
	},
	Authentication: {
		description: "Registration, sign-in, second factors, refresh and recovery of people.",
		guide: "/docs/second-factors",
	},
	"Third-party login": {
		description: "Sign-in at another identity provider.",
		guide: "/docs/third-party-login",
	},
	Users: { description: "The caller's own account, and accounts as administrators manage them." },
	Applications: { description: "Applications, their roles, and who may use them." },
	Groups: { description: "Groups of users, which hold grants together." },
	"Access decisions": { description: "Why a person may or may not use an application." },
	"API clients": { description: "Credentials of outside systems for the open APIs." },
	"Open APIs": { description: "For outside systems: each request is signed.", guide: "/docs/signing" },
	"Admin keys": {
		description: "Keys with which scripts administer a tenant.",
		guide: "/docs/automation",
	},
	Webhooks: { description: "Signed notifications of changes.", guide: "/docs/webhooks" },
	Branding: { description: "How mails present a tenant." },
	Tenants: { description: "Separate organisations in one installation." },
	Mails: { description: "Mails of the tenant: what was sent, what waits, and why one failed." },
	Statistics: { description: "Counts of sign-ins, calls and refusals over time." },
	Audit: { description: "Who did what and when, append-only." },
} as const satisfies ApiDescription["tags"];

export type ApiTag = keyof typeof TAGS;

export const API_DESCRIPTION: ApiDescription = {
	title: "Latchkey",
	description:
		"Authentication and authorization over REST: people, applications and signed partner requests.",
	tags: TAGS,
	examples: EXAMPLES,
	webhooks: WEBHOOK_DESCRIPTIONS,
	webhookHeaders: WEBHOOK_HEADERS,
};
