// The page on which an organization sets up its own sign-in.

export default {
	title: "Set up your sign-in",
	doneTitle: "Set-up finished",
	doneText: "An administrator of the service enables the sign-in now. You can close this page.",
	noToken: "This page needs the link that you received.",
	over: "This link was finished or replaced, or has expired. Ask for a new one if you still need it.",
	trialEnded: "The trial sign-in ended. Close this tab and continue in the other one.",
	lead: (domain: string, tenant: string) =>
		`People with an address of ${domain} will sign in to ${tenant} with your accounts.`,
	leadFor: (domain: string, application: string) =>
		`People with an address of ${domain} will sign in to ${application} with your accounts.`,
	issuerTitle: "1. Your identity provider",
	kind: "Provider",
	kinds: {
		entra: "Microsoft Entra ID",
		okta: "Okta",
		google: "Google Workspace",
		other: "Another OpenID provider",
	},
	how: {
		entra:
			"In the Entra admin center, add an app registration of the platform “Web” with the redirect URI below, and create a client secret. Issuer and client ID are under Overview.",
		okta: "In the Okta admin console, create an app integration “OIDC – Web Application” with the sign-in redirect URI below, and assign it to your people.",
		google:
			"In the Google Cloud console of your organization, create an OAuth client of the type “Web application” with the redirect URI below. The consent screen must be internal.",
		other:
			"Register a confidential client for the authorization code flow with the redirect URI below, and the scopes openid, email, and profile.",
	},
	callback: "Redirect URI",
	issuer: "Issuer",
	issuerHints: {
		entra: "https://login.microsoftonline.com/<directory ID>/v2.0",
		okta: "https://<your organization>.okta.com",
		other: "Exactly as its discovery document names it",
	},
	clientId: "Client ID",
	clientSecret: "Client secret",
	save: "Save",
	saved: "Saved. Saving again needs the secret again, and a new trial.",
	domainTitle: "2. Your domain",
	domainText: "Publish this TXT record. It is looked up when you finish; name servers may need some minutes.",
	domainVerified: "The domain is verified.",
	recordName: "Name of the TXT record",
	recordValue: "Value of the TXT record",
	trialTitle: "3. Trial sign-in",
	trialText: (domain: string) => `Sign in once with an address of ${domain}. Nothing is created.`,
	trialStart: "Start a trial",
	trialOpen: "Open the sign-in in a new tab",
	trialPassed: (who: string) => `${who} signed in.`,
	trialFailed: "The trial failed",
	otherDomain: (who: string, domain: string) => `${who} signed in, but is no address of ${domain}.`,
	finish: "Finish",
	finishText: "When you finish, this link ends, and an administrator gets a mail to enable the sign-in.",
};
