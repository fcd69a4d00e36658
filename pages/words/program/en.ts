// Words of the page about a program that no reviewer approved, in English.

export default {
	title: "This program needs a review",
	titles: {
		unknown: "This program needs a review",
		rejected: "This program was rejected",
		suspended: "This program is suspended",
	},
	wants: (host: string) => `A program at ${host} wants to sign you in.`,
	unread: (product: string) => `${product} has not read this program`,
	unreadText:
		"Anyone can publish a program. If you request access, its document is read once, and a reviewer decides.",
	named: (name: string, host: string) => `It calls itself ${name}. Only the host ${host} is verified.`,
	apis: "It requests access to",
	noApis: "It requests no access to APIs, only your sign-in.",
	reason: "Why do you need it?",
	reasonHint: "The reviewers read this.",
	reasonShort: (min: number) => `Write at least ${min} characters.`,
	ask: "Request access",
	askAgain: "Request access again",
	notTaken: "Your organization doesn't accept requests for programs. Ask an administrator.",
	waitingTitle: "Waiting for a reviewer",
	waiting: "The reviewers were notified. Keep this page open: it continues as soon as they approve.",
	waited:
		"No decision yet. We'll email you when there is one. Then start again in the program, or check here.",
	lookAgain: "Check again",
	rejected: "The reviewers rejected this program",
	suspended:
		"The program is suspended: its document changed, or an administrator suspended it. Ask an administrator.",
	deny: (host: string) => `Cancel and return to ${host}`,
	approvedTitle: "Approved",
	approved: (host: string) => `The program at ${host} is approved. You'll continue in a moment.`,
	continue: "Continue",
	gone: "This page has expired. Start again in the program.",
};
