// Words of the later steps of a sign-in, in English.

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
};
