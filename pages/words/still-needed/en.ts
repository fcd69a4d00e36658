// Words of `/still-needed`, where a partner says whether an API client is still needed.

export default {
	title: "Do you still need your API access?",
	intro:
		"The administrators review who has access to their API. Your reply helps them decide; it changes nothing by itself.",
	client: "API client",
	due: "They decide before",
	question: "Your answer",
	answers: { needed: "Yes, it is still needed", not_needed: "No, it is no longer needed" },
	reason: "Reason",
	send: "Send answer",
	noToken:
		"The URL is incomplete. Open the link from the email again, or copy the complete link into the address bar.",
	gone: "There is no open question. The link is not valid, or the review is closed.",
	doneTitle: "Thank you",
	doneText:
		"The administrators see your reply. You can change it with the same link until the review closes.",
};
