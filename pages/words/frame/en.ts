// Words of the frame of pages with one task. Their own words, and those of a sign-in, are loaded beside these.

export default {
	help: "Help",
	signedInAs: (username: string) => `You're signed in as ${username}.`,
};
