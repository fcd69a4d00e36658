// The frame of the console and its overview. A section with an empty title has no heading.

import { format } from "../format.ts";

export default {
	noRole: "You have no role in the console",
	noRoleText:
		"The console is for administrators, reviewers and auditors. Your own account is on a separate page.",
	sections: {
		work: "",
		people: "People and access",
		partners: "Partners",
		record: "Record",
		settings: "Settings",
		installation: "Installation",
	},
	screens: {
		overview: "Overview",
		people: "People",
		groups: "Groups",
		applications: "Applications",
		requests: "Access requests",
		clients: "API clients",
		audit: "Audit trail",
		mail: "Mail",
		webhooks: "Webhooks",
		providers: "Sign-in providers",
		branding: "Branding",
		keys: "Admin keys",
		tenants: "Tenants",
		installation: "Installation",
	},
	shortcuts: {
		title: "Keyboard shortcuts",
		search: "Search this list",
		help: "Show keyboard shortcuts",
		use: "Enable keyboard shortcuts",
		useHint: "Turn them off if you dictate text. They never apply while you type in a field.",
	},

	overview: {
		title: "Overview",
		greeting: (name: string) => `Signed in as ${name}.`,

		waiting: "Waiting access requests",
		waitingCount: (count: number) =>
			format.plural(count, {
				one: "# partner is waiting for a decision. Oldest request first.",
				other: "# partners are waiting for a decision. Oldest request first.",
			}),
		noneWaiting: "No request is waiting",
		noneWaitingText: "Requests from partners for API access appear here.",
		allRequests: "All access requests",
		project: "Project",
		applicant: "Applicant",
		since: "Waiting since",

		attention: "Needs attention",
		nothing: "Nothing needs attention.",
		expiringClients: (count: number, days: number) =>
			format.plural(count, {
				one: `# API client expires within ${format.number(days)} days`,
				other: `# API clients expire within ${format.number(days)} days`,
			}),
		lockedPeople: (count: number) =>
			format.plural(count, { one: "# person is locked out", other: "# people are locked out" }),
		failedMails: (count: number) =>
			format.plural(count, { one: "# email could not be sent", other: "# emails could not be sent" }),
		waitingMails: (count: number) =>
			format.plural(count, {
				one: "# email is waiting to be sent",
				other: "# emails are waiting to be sent",
			}),
		failingWebhooks: (count: number) =>
			format.plural(count, {
				one: "# webhook is failing or was disabled after failures",
				other: "# webhooks are failing or were disabled after failures",
			}),

		activity: "Activity",
		range: "Period",
		ranges: {
			"24h": "Last 24 hours",
			"7d": "Last 7 days",
			"30d": "Last 30 days",
			"90d": "Last 90 days",
			dates: "Custom range",
		},
		from: "From",
		to: "To",
		utc: "Days are in UTC.",
		hour: "Hour",
		day: "Day",
		signIns: "Sign-ins",
		succeeded: "Succeeded",
		refused: "Refused",
		calls: "Signed calls from partners",
		answered: "Accepted",
		reasons: "Refused, by reason:",
		noneRefused: "None were refused.",
		more: (count: number) =>
			format.plural(count, { one: "and # other reason", other: "and # other reasons" }),
	},
};
