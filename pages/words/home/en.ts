// Words of the home page.

export default {
	title: (product: string) => `Welcome to ${product}`,
	intro: "Sign-in and access control for people, applications and partners.",
	signInTitle: "Sign in",
	signInText: "Manage your account: password, passkeys, devices and linked accounts.",
	portalTitle: "Get API access",
	portalText: "Partners ask for API credentials here and collect them after the review.",
	docsTitle: "Read the API",
	docsText: "Reference of every endpoint, guides, and code for signed requests.",
	support: "Questions?",
};
