// Words of `/support`, where a supporter reads what a person sees.

export default {
	title: "Support session",
	intro:
		"You will read what this person sees, and can change nothing. The person receives an email with your name and your reason.",
	open: "Open the account",
	noToken: "The URL is incomplete. Create a new support session.",
	bar: (supporter: string, person: string) => `${supporter} is reading the account of ${person}`,
	until: "until",
	end: "End",
	endedTitle: "The support session has ended",
	endedText: "You can close this page.",
	profile: "Profile",
	username: "Username",
	emailVerified: "Email verified",
	secondFactor: "Second factor",
	lastSignIn: "Last sign-in",
	never: "Never",
	yes: "Yes",
	no: "No",
	applicationText: "You read it as this person, in this browser, until the session ends.",
	openApplication: "Open the application",
	access: "Applications",
	noRoles: "No roles",
	requests: "Requests for access",
	statuses: { pending: "Waiting", approved: "Approved", rejected: "Rejected", withdrawn: "Withdrawn" },
};
