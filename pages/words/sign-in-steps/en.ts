// Later sign-in steps, and texts for error codes whose API message is too terse for a person.

export default {
	secondFactorTitle: "Confirm it's you",
	factorText: {
		totp: "Enter the six digits your authenticator app shows now.",
		passkey: "Use your passkey: your fingerprint, your face, a PIN or a security key.",
		recovery_code: "Enter one of your recovery codes. Each code works once.",
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
	restart: "Start over",
	noneWorks: "Can't use any of these?",
	noneWorksText:
		"Ask the person who manages your account to reset your second factors. They'll check that it's really you, for example in a call. They never need your password or a code.",
	contact: "You can write to",
	askHelpText:
		"Or let us email the administrators that you can't sign in. They get your name and a link to your account.",
	askHelp: "Notify the administrators",
	helpAsked:
		"If they weren't notified today already, the administrators get an email now. Wait until they contact you the way you know them.",
	noFactorHere: "This browser cannot use your passkey. Sign in with another browser or device.",

	mailedCodeTitle: "Sign in with a code",
	mailedCodeText: "Enter the email address of your account. We'll email you a code.",
	sendCode: "Send code",
	codeTitle: "Enter the code",
	codeSent: (email: string) =>
		`If ${email} belongs to an account, we sent a code to it. It's valid for 10 minutes. Nothing yet? Check your spam folder.`,
	codeSentAgain: "We sent another code.",
	resend: "Resend code",
	resendIn: (seconds: number) => `Resend in ${seconds} s`,
	otherAddress: "Use another address",

	forgottenTitle: "Set a new password",
	forgottenText: "Enter the email address of your account. We'll email you a link to choose a new password.",
	email: "Email address",
	sendLink: "Email me a link",
	linkSentTitle: "Check your email",
	linkSent: (email: string) =>
		`If ${email} belongs to an account, we sent a link to it. The link works once, within 60 minutes. Nothing yet? Check your spam folder.`,
	backToSignIn: "Back to sign-in",
	continueAs: (username: string) => `Continue as ${username}`,
	noAccess: (name: string) => `You don't have access to ${name}. Ask the person who runs it.`,
	otherAccount: "Use another account",
	toConsole: "Get access",
	signInAgain: "Sign in again",
	factorNeeded: "This page requires a second factor. Sign in again to continue.",

	offer: {
		title: "Sign in faster with a passkey",
		text: "Use your fingerprint, face, or PIN instead of your password.",
		consequence:
			"From then on, your password alone won't be enough to sign in. You'll also get recovery codes in case you lose this device.",
		create: "Create passkey",
		later: "Not now",
	},

	enrolment: {
		title: "Protect your account",
		text: "Your organization requires two-step verification. Setting it up takes a minute.",
		passkey: "Passkey",
		passkeyOption: "Fingerprint, face, PIN or security key",
		app: "Authenticator app",
		appOption: "Six digits from an app on your phone",
		otherWay: "Choose another method",

		appTitle: "Set up an authenticator app",
		scan: "Scan this code with your authenticator app, then enter the six digits it shows.",
		qrLabel: "QR code for the authenticator app. The key below contains the same information as text.",
		openApp: "Open the app on this device",
		secret: "Or enter this key",
		code: "Code from the app",
		confirm: "Confirm",

		passkeyTitle: "Add a passkey",
		passkeyText: "Next, your device will ask for your fingerprint, face, PIN or security key.",
		passkeyName: "Passkey name",
		passkeyNameHint: "Helps you recognize it later, for example the name of the device.",
		passkeyNameDefault: "My passkey",
		addPasskey: "Add passkey",

		codesTitle: "Save your recovery codes",
		codesText: "If you lose your second factor, each of these codes lets you sign in once.",
		codesOnce: "They are shown only once. Save or print them, and keep them where only you can find them.",
		codesFileTitle: (host: string) => `Recovery codes for ${host}. Each code works once.`,
		codesSaved: "I have saved them",
	},

	errors: {
		"credentials.invalid": "That username and password don't match.",
		"code.invalid": "The code is wrong or has expired. After five wrong attempts, request a new code.",
		"password.too_short": "That password is too short. Use at least 8 characters.",
		"password.too_long":
			"That password is too long. Use at most 72 characters (fewer with accents or emoji).",
		"password.too_common": "That password is very common. Choose a different one.",
		"password.breached": "This password appeared in a data breach. Choose a different one.",
		"password.same_as_name": "The password must not be your username or email address.",
		"mfa.invalid":
			"That didn't work. The code is wrong or was already used, or this sign-in took too long. After five attempts, you have to start over.",
		"mfa.code_wrong": "The code is wrong. Check that your device's clock is correct.",
		"passkey.cancelled": "No passkey was used. Try again, or sign in another way.",
		"passkey.unusable": "This browser cannot use a passkey here. Sign in another way.",
		"interaction.not_found":
			"This sign-in took too long or is already complete. Start again in the application.",
		"interaction.other_tenant":
			"You are signed in to a different organization. Use your account at the organization of this application.",
		"device.not_found":
			"This code is wrong, was already used or has expired. Check the code on the device, or start again there.",
		"tenant.not_found": "The link that brought you here is not valid: the organization does not exist.",
		"third_party_sign_in.not_found": "This took too long or was already used. Sign in again.",
		"provider.access_denied": "The sign-in was canceled at the provider.",
		"provider.provider_error": "The provider could not sign you in. Try again later, or sign in another way.",
		"provider.account_exists":
			"An account with your email address already exists. Sign in with its password, then link the provider in your account.",
		"provider.sign_in_enforced": "People of this organization sign in with their organization's account.",
		"provider.sign_up_not_allowed":
			"No account here is linked to that account. Ask an administrator for an account.",
		"provider.account_disabled": "This account is disabled.",
	} as Readonly<Record<string, string>>,
};
