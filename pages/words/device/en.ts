// Words of the page that signs a person in on a device, in English.

export default {
	title: "Connect a device",
	lead: "Enter the code that the device shows.",
	code: "Code",
	codeHint: "Eight letters. Small letters and spaces are fine.",
	codeMissing: "Enter the code that the device shows.",
	continue: "Continue",
	questionTitle: "Sign in on your device?",
	asks: (name: string) => `${name} asks to sign you in on a device that shows this code:`,
	checkTitle: "Is it your own device?",
	check:
		"Allow this only if you have just started it yourself, on a device that you have before you. Did you get the code or this page from another person? Then refuse: that person would get into your account.",
	requestedAt: "Requested",
	requestedFrom: "From address",
	allow: "Allow",
	refuse: "Refuse",
	otherCode: "Enter another code",
	signedInAs: (username: string) => `You are signed in as ${username}.`,
	otherAccount: "Use another account",
	allowedTitle: "Continue on your device",
	allowedText: (name: string) =>
		`${name} signs you in on your device in a few seconds. You can close this page.`,
	endsWithSession: "When you sign out here, you are signed out on the device, too.",
	refusedTitle: "Refused",
	refusedText: (name: string) => `${name} got no access to your account. You can close this page.`,
};
