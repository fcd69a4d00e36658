// Words of the registration, in English.

export default {
	title: "Create an account",
	text: "We will email you a code. Then you choose a username and a password.",
	forApplication: (name: string) => `to continue to ${name}`,
	haveAccount: "Have an account?",
	signIn: "Sign in",
	closed: "Only an administrator can create accounts here.",
	email: "Email address",
	sendCode: "Email me a code",

	codeTitle: "Choose a username and password",
	codeSent: (email: string) => `We sent a code to ${email}. It is valid for 10 minutes.`,
	codeSentAgain: "We sent a new code. The previous code is no longer valid.",
	code: "Code from the email",
	username: "Username",
	usernameRule: "3 to 64 letters, digits, dots, hyphens or underscores.",
	password: "Password",
	displayName: "Your name",
	create: "Create account",
	resend: "Send another code",
	resendIn: (seconds: number) => `Another code in ${seconds} s`,
	otherAddress: "Use another address",
};
