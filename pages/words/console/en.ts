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
		reviews: "Reviews",
		requests: "Requests",
		clients: "API clients",
		programs: "Programs",
		audit: "Audit trail",
		refusals: "Refused calls",
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
		palette: "Find anything",
		help: "Show keyboard shortcuts",
		goTo: "Go to",
		use: "Enable keyboard shortcuts",
		useHint: "Turn them off if you dictate text. They never apply while you type in a field.",
	},

	waitingNow: (count: number) => ({ count: format.number(count), text: `${format.number(count)} waiting` }),
	failingNow: (count: number) => ({ count: format.number(count), text: `${format.number(count)} failing` }),
	openPalette: "Find…",

	overview: {
		title: "Overview",
		forYou: "For you",
		allClear: (time: string) => `All clear. Last check ${time}.`,
		review: "Review",
		seeWhy: "See why",
		show: "Show",
		waiting: (count: number) =>
			format.plural(count, { one: "# request is waiting", other: "# requests are waiting" }),
		/** Followed by a time. */
		oldest: "oldest",
		since: "since",
		webhookFails: (host: string) => `The webhook ${host} fails`,
		webhookStopped: (host: string) => `The webhook ${host} was turned off after failures`,
		/** After the name of who called, and before the code. */
		refusedOften: (count: number) => `: ${format.number(count)} calls refused in 24 hours, mostly`,

		firstSteps: {
			title: "First steps",
			progress: (done: number, total: number) => `${format.number(done)} of ${format.number(total)} done`,
			fold: "Hide",
			open: "Show",
			dismiss: "Dismiss",
			dismissed: "First steps are no longer shown in this browser.",
			done: "done",
			colleague: "Invite a colleague",
			secondFactor: "Add a second factor to your account",
			mailServer: "Connect a mail server",
			brand: "Set your name, color, and logo",
			application: "Add your first application",
			partner: "Review your first partner",
		},

		asOf: (time: string) => `As of ${time}`,
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
				one: "# webhook is failing or was turned off",
				other: "# webhooks are failing or were turned off",
			}),

		from: "From",
		to: "To",
		utc: "Days in UTC",
		signIns: "Sign-ins",
		succeeded: "Succeeded",
		refused: "Refused",
		calls: "Signed calls from partners",
		answered: "Accepted",
		signedCalls: "Signed calls",
		refusedCalls: "Refused calls",
		waitingRequests: "Pending requests",
		before: (value: string) => `was ${value}`,
		change: (share: string) => `${share} vs. previous period`,
	},
	rows: {
		row: (list: string, row: number) => `${list}, row ${format.number(row)}`,
		remove: (row: number) => `Remove row ${format.number(row)}`,
	},
	unsaved: {
		title: "Unsaved changes",
		discard: "Discard",
		save: "Save",
		leaveTitle: "Leave without saving?",
		leaveText: "Your changes on this page are lost.",
		leave: "Leave",
	},
	bulk: {
		title: "Selected rows",
		select: "Select the current row",
		selectTo: "Select up to the current row",
		selected: (count: number) => `${format.number(count)} selected`,
		clear: "Clear selection",
		progress: (count: number, total: number) => `${format.number(count)} of ${format.number(total)}`,
		leftOut: (count: number) =>
			format.plural(count, {
				one: "# selected row won't change because this action doesn't apply to it.",
				other: "# selected rows won't change because this action doesn't apply to them.",
			}),
		done: (count: number, total: number) => `${format.number(count)} of ${format.number(total)} done`,
		stopped: (count: number, total: number, reason = "") =>
			`${format.number(count)} of ${format.number(total)} done, stopped${reason && `: ${reason}`}`,
		stop: "Stop",
		resume: "Continue",
		undoing: "Undoing…",
		failed: (count: number) => `${format.number(count)} couldn't be changed`,
		waiting: (seconds: number) =>
			format.plural(seconds, {
				one: "Too many requests. Continuing in # second.",
				other: "Too many requests. Continuing in # seconds.",
			}),
	},
	export: {
		export: "Export",
		csv: "Export CSV",
		cancel: "Cancel export",
		saved: "The file was saved. The export was recorded in the audit trail.",
		canceled: "Export canceled",
	},
	statistics: {
		range: "Period",
		ranges: {
			"24h": "Last 24 hours",
			"7d": "Last 7 days",
			"30d": "Last 30 days",
			"90d": "Last 90 days",
			dates: "Custom range",
		},
		hour: "Hour",
		day: "Day",
		results: (ok: number, okLabel: string, refused: number, refusedLabel: string) =>
			`${okLabel}: ${format.number(ok)} · ${refusedLabel}: ${format.number(refused)}`,
		reasons: "Refused, by reason:",
		noneRefused: "No refusals",
		more: (count: number) =>
			format.plural(count, { one: "and # other reason", other: "and # other reasons" }),
	},
	logo: {
		hint: "PNG, at most 64 KiB and 2,048 pixels on each side.",
		current: "Current logo",
		remove: "Remove",
		uploaded: "The image was uploaded",
		removed: "The image was removed",
		uploading: "Uploading…",
		tooLarge: "The file is larger than 64 KiB. Choose a smaller one.",
	},
};
