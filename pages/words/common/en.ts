// Words that several areas share.

export default {
	product: "Latchkey",
	signIn: "Sign in",
	signOut: "Sign out",
	console: "Console",
	account: "Your account",
	documentation: "API documentation",
	theme: "Appearance",
	themeSystem: "Appearance: system",
	themeLight: "Appearance: light",
	themeDark: "Appearance: dark",
	sessionEnded: "Your session has ended",
	sessionEndedText: "Sign in again to continue. What you typed stays here.",
	otherUser: (used: string, ended: string) =>
		`That is the account of ${used}. What is on this page belongs to ${ended}: sign in as ${ended}.`,
	otherWays: "Other ways to sign in",
	notFound: "There is no such page",
	notFoundText: "The address may be mistyped, or what it showed was removed.",
	questions: "Questions?",
	failed: "This could not be shown",
};
