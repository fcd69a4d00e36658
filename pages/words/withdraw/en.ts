// Words of `/withdraw`, where an applicant takes a request back.

export default {
	title: "Withdraw your access request",
	intro:
		"Your request for API access will be taken back, and nobody will review it. This cannot be undone, but you can send a new request at any time.",
	project: "Project",
	applicant: "Your name",
	company: "Company",
	status: "Status",
	waiting: "Waiting for review",
	sentAt: "Sent",
	safe: "Opening this page has changed nothing. To keep the request, close the page.",
	withdraw: "Withdraw the request",
	noToken:
		"The address is incomplete. Open the link from the mail again, or copy all of it into the address bar.",
	gone: "There is nothing to withdraw: this link is not valid, or the request was withdrawn or decided already.",
	noAnswer: "No answer arrived. Check your connection and press the button again.",
	doneTitle: "Your request was withdrawn",
	doneText: "Nothing else happens, and you can close this page.",
	newRequest: "Send a new request",
};
