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
	/** With a record whose name is asked, or typed after one of these beginnings, the longest first. */
	acts: {
		check: {
			name: "Check access…",
			asks: "Whose access?",
			begins: ["check access of ", "check access ", "check "],
		},
		rotate: {
			name: "Rotate secret of…",
			asks: "The secret of which API client or application?",
			begins: ["rotate secret of ", "rotate secret ", "rotate "],
		},
		give: {
			name: "Give access to…",
			asks: "To which person, or to which application?",
			begins: ["give access to ", "give access ", "give "],
		},
	},
	actOf: {
		check: (person: string) => `Check access of ${person}`,
		rotate: (name: string) => `Rotate secret of ${name}`,
		givePerson: (person: string) => `Give access to ${person}`,
		giveApplication: (application: string) => `Give access to ${application}`,
	},
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
