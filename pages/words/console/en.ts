// Words of the console's frame. A section with an empty title has none.

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
};
