// Words of the pages that mailed links lead to, in English.

export default {
	incomplete:
		"The address of this page is incomplete. Open the link from the mail again, or copy all of it into the address bar.",
	toSignIn: "Go to sign-in",

	reset: {
		title: "Set a new password",
		text: "You will be signed out everywhere, and sign in with the new password afterwards.",
		password: "New password",
		set: "Set the password",
		safe: "Opening this page has changed nothing. To keep your password, just close it.",
		gone: "This link is no longer valid: it was used already, it is older than 60 minutes, or a newer mail has replaced it. Ask for another where you sign in.",
		doneTitle: "Your password is set",
		done: "You were signed out everywhere. Sign in with the new password; a second factor is asked for as before.",
	},

	invite: {
		title: "Accept the invitation",
		text: "An administrator has created an account for you. Choose a password to accept it.",
		password: "Password",
		displayName: "Your name",
		accept: "Accept the invitation",
		safe: "Opening this page has changed nothing. If you expected no invitation, just close it.",
		gone: "This link is no longer valid: it was used already, it is older than 7 days, or a newer mail has replaced it. Ask the administrator for another.",
	},

	restoreEmail: {
		title: "Take your account back",
		text: "The e-mail address of your account was changed. Was it not you? Then take the account back:",
		consequences: [
			"This address is put back.",
			"Everybody is signed out.",
			"The password stops working, and you are mailed a link to set a new one.",
		],
		restore: "Take the account back",
		safe: "Opening this page has changed nothing. If it was you who changed the address, just close it.",
		gone: "This link is no longer valid: it was used already, or it is older than 7 days. If somebody else has your account, tell an administrator of the service at once.",
		doneTitle: "Your account is yours again",
		done: "Look into your mailbox: a link to set a new password is on its way.",
	},
};
