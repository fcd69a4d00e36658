// Words of `/withdraw`, where an applicant withdraws a request.

export default {
	title: "Withdraw your access request",
	intro:
		"Your request for API access will be withdrawn and not reviewed. This cannot be undone, but you can send a new request at any time.",
	project: "Project",
	applicant: "Your name",
	company: "Company",
	status: "Status",
	waiting: "Waiting for review",
	sentAt: "Sent",
	safe: "Nothing has changed yet. To keep the request, close this page.",
	withdraw: "Withdraw request",
	noToken:
		"The URL is incomplete. Open the link from the email again, or copy the complete link into the address bar.",
	gone: "There is nothing to withdraw. The link is not valid, or the request was already withdrawn or decided.",
	noAnswer: "No response arrived. Check your connection and press the button again.",
	doneTitle: "Your request was withdrawn",
	doneText: "You can close this page.",
	newRequest: "Send a new request",
};
