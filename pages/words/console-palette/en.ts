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
	themes: {
		light: "Use the light theme",
		dark: "Use the dark theme",
		system: "Use the theme of the system",
	},
};
