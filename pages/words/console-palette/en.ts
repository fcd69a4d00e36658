// The command palette of the console.

import { format } from "../format.ts";

export default {
	title: "Find anything",
	placeholder: "A name, an ID, an API key, a request ID, or what you want to do",
	none: "Nothing found.",
	count: (count: number) => format.plural(count, { one: "# result", other: "# results" }),
	kinds: { screen: "Screen", action: "Action", here: "On this page" },
	/** By screen. */
	add: {
		people: "Add a person",
		groups: "Add a group",
		applications: "Add an application",
		reviews: "Start a review of access",
		clients: "Create an API client",
		webhooks: "Add a webhook",
		providers: "Add a sign-in provider",
		keys: "Create an admin key",
		tenants: "Create a tenant",
	},
	check: "Check access…",
	whose: "Whose access?",
	verify: "Verify audit trail",
	verified: (count: number) =>
		format.plural(count, {
			one: "The newest event of the audit trail is unchanged.",
			other: "The newest # events of the audit trail are unchanged.",
		}),
	broken: (sequence: number) =>
		`The audit trail was changed at event ${format.number(sequence)}. Open it to see what to do.`,
	copyRequestId: (id: string) => `Copy request ID ${id}`,
	copied: "The request ID was copied.",
	themes: {
		light: "Use the light theme",
		dark: "Use the dark theme",
		system: "Use the theme of the system",
	},
};
