// Words of the pages that end a session for an application, in English.

export default {
	title: "Sign out?",
	asks: (name: string) => `${name} is asking to sign you out.`,
	meansAnother: "The application wants to sign out a different account.",
	whatEnds: "This signs you out here and in every application you signed in to from here.",
	stay: "Stay signed in",
	gone: "This request has expired. Start again in the application.",
	doneTitle: "You are signed out",
	doneText: "Your session has ended. You can close this window.",
	keptTitle: "You are still signed in",
	keptText: "Your session is still active. You can close this window.",
	account: "Your account",
};
