// Words of the pages that end a session for an application, in English.

export default {
	title: "Sign out?",
	asks: (name: string) => `${name} asks to sign you out.`,
	signedInAs: (username: string) => `You are signed in as ${username}.`,
	meansAnother: "The application wants to sign out another account, not this one.",
	whatEnds: "This signs you out here, and of every application that you signed in to from here.",
	signOut: "Sign out",
	stay: "Stay signed in",
	gone: "This question has expired. Start again at the application.",
	doneTitle: "You are signed out",
	doneText: "Your session has ended. You can close this window.",
	signIn: "Sign in",
	keptTitle: "You are still signed in",
	keptText: "Nothing has ended. You can close this window.",
	account: "Your account",
};
