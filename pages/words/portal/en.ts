// Words of `/portal`, the form for an access request.

import { format } from "../format.ts";

export default {
	title: "Request API access",
	intro: "Tell the reviewers who you are and what you will build. It takes two minutes and needs no account.",
	noTenant: "Organization not found",
	noTenantText: (slug: string) =>
		`No organization here has the short name “${slug}”. Ask the person who gave you this link for the correct one.`,
	labels: {
		applicant_name: "Your name",
		email: "Email address",
		company: "Company",
		project_name: "Project",
		purpose: "What will you use the API for?",
	},
	emailHint: "We send the receipt and the decision to this address.",
	projectHint: "This becomes the name of your application.",
	purposeHint:
		"Describe the product, the data it reads and the expected number of calls. If your servers call from fixed public IP addresses, list them: the reviewer can restrict your credentials to them.",
	send: "Send request",
	missing: {
		applicant_name: "Enter your name.",
		email: "Enter your email address.",
		company: "Enter your company.",
		project_name: "Enter the name of your project.",
		purpose: "Describe what you will use the API for.",
	},
	tooLong: (limit: number) => `Use at most ${format.number(limit)} characters.`,
	noAddress: "Enter one email address in ASCII characters, such as name@example.com.",
	pendingExists:
		"A request for this address is already under review. Wait for the decision, or withdraw the request with the link in the receipt email.",
	stepsTitle: "What happens next",
	stepDone: "done",
	steps: [
		{ title: "You send the request", text: "Each email address can have one open request." },
		{
			title: "A person reviews it",
			text: "You receive a receipt immediately. It contains a link to withdraw the request, and possibly one to a test client, so that you can start before the decision.",
		},
		{
			title: "You get the decision by email",
			text: "If the request is approved, the email contains a link that is valid for 7 days and shows your credentials once.",
		},
		{
			title: "You sign your first call",
			text: "The same page makes the call for you and shows the code for your language.",
		},
	],
	signingGuide: "How requests are signed",
	receivedTitle: "Request received",
	receivedIntro: "A reviewer will decide. You can close this page.",
	mailedTitle: "We sent you a receipt",
	mailedTo: "Sent to",
	mailedText:
		"If it does not arrive within a few minutes, check your spam folder. The decision comes from the same sender.",
	sentTitle: "What you sent",
	sentAt: "Sent",
	requestId: "Request ID",
	readGuide: "Prepare your first call",
	another: "Send another request",
};
