// Words of the page that signs a person in on a device, in English.

export default {
	title: "Connect a device",
	lead: "Enter the code shown on the device.",
	code: "Code",
	codeHint: "Eight letters, in upper or lower case.",
	continue: "Continue",
	questionTitle: "Sign in on your device?",
	asks: (name: string) => `${name} wants to sign you in on a device that shows this code:`,
	checkTitle: "Is this your device?",
	check:
		"Allow this only if you just started it on a device in front of you. If someone else gave you the code or this link, refuse: they could get into your account.",
	requestedAt: "Requested",
	requestedFrom: "From IP address",
	refuse: "Refuse",
	otherCode: "Enter another code",
	allowedTitle: "Continue on your device",
	allowedText: (name: string) =>
		`${name} will sign you in on your device in a few seconds. You can close this page.`,
	endsWithSession: "When you sign out here, you are also signed out on the device.",
	refusedTitle: "Refused",
	refusedText: (name: string) => `${name} did not get access to your account. You can close this page.`,
};
