// Later sign-in steps, and texts for error codes whose API message is too terse for a person.

export default {
	secondFactorTitle: "Confirm that it is you",
	factorText: {
		totp: "Enter the six digits that your authenticator app shows now.",
		passkey: "Use your passkey: your fingerprint, your face, a PIN or a security key.",
		recovery_code: "Enter one of your recovery codes. Each works once.",
	},
	useInstead: {
		totp: "Use the authenticator app",
		passkey: "Use a passkey",
		recovery_code: "Use a recovery code",
	},
	code: "Code",
	recoveryCode: "Recovery code",
	usePasskey: "Use your passkey",
	continue: "Continue",
	restart: "Start again",
	noFactorHere: "This browser cannot use your passkey. Sign in with another browser or device.",

	forgottenTitle: "Set a new password",
	forgottenText: "Enter the e-mail address of your account. We mail you a link to choose a new password.",
	email: "E-mail address",
	sendLink: "Mail me a link",
	linkSentTitle: "Look into your mailbox",
	linkSent: (email: string) =>
		`If ${email} belongs to an account, a link is on its way. It works once, within 60 minutes. Nothing there? Look into the spam folder.`,
	backToSignIn: "Back to sign-in",
	signedInAs: (username: string) => `You are signed in as ${username}.`,
	otherAccount: "Use another account",
	signInAgain: "Sign in again",

	enrolment: {
		title: "Protect your account",
		text: "A second factor is required here. Choose one; it takes a minute.",
		passkey: "Passkey",
		passkeyOption: "Fingerprint, face, PIN or security key",
		app: "Authenticator app",
		appOption: "Six digits from an app on your phone",
		otherWay: "Choose another way",

		appTitle: "Set up an authenticator app",
		scan: "Scan this code with your authenticator app, then enter the six digits that it shows.",
		qrLabel: "QR code for the authenticator app; the key below is the same as text",
		openApp: "On this device: open the app",
		secret: "Or type this key",
		code: "Code of the app",
		confirm: "Confirm",

		passkeyTitle: "Add a passkey",
		passkeyText: "Your browser asks for your fingerprint, your face, a PIN or a security key.",
		passkeyName: "Name of the passkey",
		passkeyNameHint: "To recognise it later, such as the name of the device.",
		passkeyNameDefault: "My passkey",
		addPasskey: "Add the passkey",

		codesTitle: "Keep your recovery codes",
		codesText: "If you lose your second factor, each of these codes signs you in once.",
		codesOnce: "They are shown only now. Save or print them, and keep them where only you can find them.",
		codesFile: "recovery-codes.txt",
		codesFileTitle: (host: string) => `Recovery codes for ${host}. Each works once.`,
		codesSaved: "I have saved them",
	},

	errors: {
		"code.invalid": "The code is wrong or has expired. After five wrong tries ask for another.",
		"password.too_short": "The password is too short: it needs at least 8 characters.",
		"password.too_long": "The password is too long: it may have at most 72 bytes.",
		"password.too_common": "This is one of the most common passwords. Choose another.",
		"password.breached": "This password is known from a data breach. Choose another.",
		"password.same_as_name": "The password must not be your username or e-mail address.",
		"mfa.invalid":
			"That did not work. The code is wrong or was used before, or this sign-in took too long. After five tries you have to start again.",
		"mfa.code_wrong": "The code is wrong. Is the clock of the device right?",
		"passkey.cancelled": "No passkey was used. Try again, or sign in another way.",
		"passkey.unusable": "This browser cannot use a passkey here. Sign in another way.",
		"application.not_found":
			"The link that brought you here is not valid: the application is unknown, or its address is not registered. Nothing was sent to it. Ask whoever runs the application.",
		"interaction.not_found":
			"This sign-in has ended: it took too long, or was finished already. Start again at the application.",
		"interaction.other_tenant":
			"You are signed in at another organisation. Use your account at the one of this application.",
		"device.not_found":
			"This code is wrong, was used or has expired. Look at the device again, or start again there.",
		"tenant.not_found": "The link that brought you here is not valid: there is no such organisation.",
		"ticket.invalid": "This took too long or was used already. Sign in again.",
		"provider.access_denied": "The sign-in was cancelled at the provider.",
		"provider.provider_error": "The provider could not sign you in. Try again later, or sign in another way.",
		"provider.account_exists":
			"There is an account with your e-mail address. Sign in to it with its password, then link the provider in your account.",
		"provider.sign_up_not_allowed":
			"No account here is linked to that one. Ask an administrator for an account.",
		"provider.account_disabled": "This account is disabled.",
		"provider.no_access": "You have no access to this application.",
	} as Readonly<Record<string, string>>,
};
