// Words of the sign-in page, in English.

export default {
	username: "Username or email",
	usernameMissing: "Enter your username or email address.",
	password: "Password",
	passwordMissing: "Enter your password.",
	signIn: "Sign in",
	noCookies: "Signing in needs cookies. Allow them for this site and reload the page.",
	forgotten: "Forgot your password?",
	or: "or",
	withPasskey: "Sign in with a passkey",
	withMailedCode: "Email me a code",
	lastUsed: "Last used",
	toApplication: (name: string) => `to continue to ${name}`,
	withProvider: (name: string) => `Continue with ${name}`,
	noAccount: "No account yet?",
	createAccount: "Create one",
	backTo: (name: string) => `Back to ${name}`,
};
