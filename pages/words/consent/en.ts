// Words of the page that asks for consent, in English.

export default {
	title: "Allow access?",
	asks: (name: string) => `${name} is requesting access to your account.`,
	runsAt: (host: string) => `The application runs at ${host}.`,
	itGets: "It will receive",
	scopes: {
		openid: "A permanent ID for your account",
		profile: "Your username, name, picture and language",
		email: "Your email address",
		roles: "Your roles, permissions and groups in this application",
		offline_access: "Keep access when you're not using it",
	} as Readonly<Record<string, string>>,
	api: (name: string, address: string) =>
		`Permission to act on your behalf in ${name} (${address}), with your roles there`,
	apiOnly: (name: string, address: string) => `On your behalf in ${name} (${address}), only:`,
	resource: (address: string) => `Permission to act on your behalf at ${address}`,
	program: {
		host: "Host of the program",
		returnsTo: "Receives the sign-in",
		onDevice: "A program on this computer. Latchkey cannot verify which one.",
		otherHost: (host: string) => `The sign-in goes to another host than the program's: ${host}.`,
	},
	app: {
		scheme: "Receives the sign-in",
		onDevice: "An app on this device that opens these links. Latchkey cannot verify which one.",
	},
	onlyYours: "Allow this only if you have just started it yourself.",
	onlyOnce: "You won't be asked again for the same access.",
	allow: "Allow",
	otherAccount: "Use another account",
};
