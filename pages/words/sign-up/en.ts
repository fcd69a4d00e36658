// Words of the registration, in English.

export default {
	title: "Create an account",
	text: "We mail a code to your address. Then you choose a name and a password.",
	forApplication: (name: string) => `to continue to ${name}`,
	haveAccount: "Have an account?",
	signIn: "Sign in",
	closed: "New accounts are made by an administrator here.",
	email: "E-mail address",
	sendCode: "Mail me a code",

	codeTitle: "Choose name and password",
	codeSent: (email: string) => `A code is on its way to ${email}. It is good for 10 minutes.`,
	codeSentAgain: "Another code is on its way. The one before is no longer good.",
	code: "Code from the mail",
	username: "Username",
	usernameRule: "3 to 64 letters, digits, dots, hyphens or underscores.",
	password: "Password",
	displayName: "Your name",
	create: "Create the account",
	resend: "Mail another code",
	resendIn: (seconds: number) => `Another code in ${seconds} s`,
	otherAddress: "Use another address",
};
