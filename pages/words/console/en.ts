// The frame of the console and its overview. A section with an empty title has no heading.

import { format } from "../format.ts";

export default {
	noRole: "You have no role here",
	noRoleText:
		"The console is for administrators, reviewers and auditors. Your own account is on another page.",
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
		audit: "Audit log",
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
		help: "Show these keys",
		use: "Use these keys",
		useHint: "Turn them off if you dictate text. They never act while you type in a field.",
	},

	overview: {
		title: "Overview",
		greeting: (name: string) => `Signed in as ${name}.`,

		waiting: "Waiting access requests",
		waitingCount: (count: number) =>
			format.plural(count, {
				one: "# partner waits for a decision, the oldest request first.",
				other: "# partners wait for a decision, the oldest request first.",
			}),
		noneWaiting: "No request is waiting",
		noneWaitingText: "A partner who applies for API access appears here.",
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
			format.plural(count, { one: "# mail could not be sent", other: "# mails could not be sent" }),
		waitingMails: (count: number) =>
			format.plural(count, { one: "# mail waits to be sent", other: "# mails wait to be sent" }),
		failingWebhooks: (count: number) =>
			format.plural(count, {
				one: "# webhook fails or was switched off for failing",
				other: "# webhooks fail or were switched off for failing",
			}),

		activity: "Activity",
		range: "Period",
		ranges: {
			"24h": "Last 24 hours",
			"7d": "Last 7 days",
			"30d": "Last 30 days",
			"90d": "Last 90 days",
			dates: "From one day to another",
		},
		from: "From",
		to: "To",
		utc: "Days are those of UTC.",
		hour: "Hour",
		day: "Day",
		signIns: "Sign-ins",
		succeeded: "Succeeded",
		refused: "Refused",
		calls: "Signed calls of partners",
		answered: "Answered",
		reasons: "Refused, by reason:",
		noneRefused: "None was refused.",
		more: (count: number) =>
			format.plural(count, { one: "and # other reason", other: "and # other reasons" }),
	},
};
