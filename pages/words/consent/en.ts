// Words of the page that asks for consent, in English.

export default {
	title: "Allow access?",
	asks: (name: string) => `${name} asks for access to your account.`,
	runsAt: (host: string) => `It runs at ${host}.`,
	itGets: "What it gets",
	scopes: {
		openid: "Who you are: an identifier that stays the same",
		profile: "Your username, name, picture and language",
		email: "Your e-mail address",
		roles: "Your roles, permissions and groups in it",
		offline_access: "All of this later too, while you are away",
	} as Readonly<Record<string, string>>,
	resource: (address: string) => `To act for you at ${address}`,
	onlyOnce: "You are not asked for the same again.",
	allow: "Allow",
	signedInAs: (username: string) => `You are signed in as ${username}.`,
	otherAccount: "Use another account",
};
