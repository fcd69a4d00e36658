// Words of the registration, in English.

export default {
	title: "Create an account",
	text: "We'll email you a code to confirm your address.",
	forApplication: (name: string) => `to continue to ${name}`,
	haveAccount: "Have an account?",
	closed: "Sign-up is closed. Ask your administrator for an invitation.",
	email: "Email address",
	sendCode: "Send code",

	codeTitle: "Enter the code",
	codeSent: (email: string) => `We sent a code to ${email}. It's valid for 10 minutes.`,
	codeSentAgain: "We sent a new code. Your previous code no longer works.",
	code: "Code from the email",
	continue: "Continue",

	enterCodeAgain: "Enter the code again",
	accountTitle: "Create your account",
	username: "Username",
	usernameRule: "3 to 64 letters, digits, dots, hyphens or underscores.",
	password: "Password",
	displayName: "Your name",
	create: "Create account",
	resend: "Resend code",
	resendIn: (seconds: number) => `Resend in ${seconds} s`,
	otherAddress: "Use another address",
};
