// Words of the home page.

export default {
	title: (product: string) => `Welcome to ${product}`,
	intro: "Sign-in and access control for people, applications and partners.",
	signInTitle: "Sign in",
	signInText: "Manage your password, passkeys, devices and linked accounts.",
	portalTitle: "Get API access",
	portalText: "Request API credentials as a partner and collect them after the review.",
	docsTitle: "API reference",
	docsText: "Every endpoint, guides, and code for signed requests.",
	support: "Questions?",
};
