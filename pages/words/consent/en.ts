// Words of the page that asks for consent, in English.

export default {
	title: "Allow access?",
	asks: (name: string) => `${name} asks for access to your account.`,
	runsAt: (host: string) => `It runs at ${host}.`,
	itGets: "What it gets",
	scopes: {
		openid: "Your user ID here, which stays the same",
		profile: "Your username, name, picture and language",
		email: "Your e-mail address",
		roles: "Your roles, permissions and groups in this application",
		offline_access: "Access to all of this while you are away",
	} as Readonly<Record<string, string>>,
	api: (name: string, address: string) => `To act for you in ${name} (${address}), with your roles there`,
	resource: (address: string) => `To act for you at ${address}`,
	onlyOnce: "You will not be asked again for the same access.",
	allow: "Allow",
	signedInAs: (username: string) => `You are signed in as ${username}.`,
	otherAccount: "Use another account",
};
