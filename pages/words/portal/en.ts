// Words of `/portal`, the form for an access request.

import { format } from "../format.ts";

export default {
	title: "Request API access",
	intro:
		"Tell the reviewers who you are and what you will build. It takes two minutes; no account is needed.",
	noTenant: "There is no such organisation here",
	noTenantText: (slug: string) =>
		`Nothing here has the short name “${slug}”. Ask whoever gave you this address for the right one.`,
	labels: {
		applicant_name: "Your name",
		email: "E-mail address",
		company: "Company",
		project_name: "Project",
		purpose: "What will you use the API for?",
	},
	emailHint: "The receipt and the decision are mailed to this address.",
	projectHint: "Your application gets this name.",
	purposeHint:
		"Describe the product, the data it reads and the expected number of calls. If your servers call from fixed public IP addresses, list them: the reviewer can restrict your credentials to them.",
	send: "Send request",
	missing: {
		applicant_name: "Enter your name.",
		email: "Enter your e-mail address.",
		company: "Enter your company.",
		project_name: "Enter the name of your project.",
		purpose: "Describe what you will use the API for.",
	},
	tooLong: (limit: number) => `Shorten this to ${format.number(limit)} characters at most.`,
	noAddress: "Enter one e-mail address, such as name@example.com, in ASCII characters.",
	pendingExists:
		"A request for this address is under review already. Wait for its decision, or withdraw it first with the link in its receipt mail.",
	stepsTitle: "What happens next",
	stepDone: "done",
	steps: [
		{ title: "You send the request", text: "One request per e-mail address can be open at a time." },
		{ title: "A person reviews it", text: "You get a receipt at once. Its link withdraws the request." },
		{
			title: "You get the decision by mail",
			text: "After an approval the mail holds a link that is valid for 7 days. It shows your credentials once.",
		},
		{
			title: "You sign your first call",
			text: "The same page makes it for you and has the code for eight languages.",
		},
	],
	signingGuide: "How requests are signed",
	receivedTitle: "Request received",
	receivedIntro: "A reviewer decides. You can close this page.",
	mailedTitle: "A receipt is on its way",
	mailedTo: "It goes to",
	mailedText:
		"If it is not there within a few minutes, look into the spam folder: the decision will come from the same sender.",
	sentTitle: "What you sent",
	sentAt: "Sent",
	requestId: "Request ID, for questions about it",
	readGuide: "Prepare your first call",
	another: "Send another request",
};
