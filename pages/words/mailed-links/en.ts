// Words of the pages that mailed links lead to, in English.

export default {
	incomplete:
		"This URL is incomplete. Open the link from the email again, or copy the complete link into the address bar.",
	toSignIn: "Go to sign-in",

	reset: {
		title: "Set a new password",
		text: "You will be signed out everywhere and can then sign in with the new password.",
		password: "New password",
		set: "Set password",
		safe: "Nothing has changed yet. To keep your password, close this page.",
		gone: "This link is no longer valid. It was already used, is older than 60 minutes, or was replaced by a newer email. Request a new link on the sign-in page.",
		doneTitle: "Your password was set",
		done: "You were signed out everywhere. Sign in with the new password. If you have a second factor, you still need it.",
	},

	invite: {
		title: "Accept invitation",
		text: "An administrator has created an account for you. Choose a password to accept it.",
		password: "Password",
		displayName: "Your name",
		safe: "Nothing has changed yet. If you didn't expect an invitation, close this page.",
		gone: "This link is no longer valid. It was already used, is older than 7 days, or was replaced by a newer email. Ask the administrator for a new one.",
	},

	restoreEmail: {
		title: "Recover your account",
		text: "The email address of your account was changed. If you did not change it, recover your account. This has the following effects:",
		consequences: [
			"This email address is restored.",
			"All devices are signed out.",
			"The password stops working, and you receive a link to set a new one.",
		],
		restore: "Recover account",
		safe: "Nothing has changed yet. If you changed the address yourself, close this page.",
		gone: "This link is no longer valid. It was already used or is older than 7 days. If someone else has access to your account, contact an administrator of the service immediately.",
		doneTitle: "Your account is recovered",
		done: "Check your email. We sent you a link to set a new password.",
	},
};
