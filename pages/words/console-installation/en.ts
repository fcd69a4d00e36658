// Words of the console's state of the installation.

export default {
	title: "Installation",
	description: "The checks of “latchkey doctor”, on the node that answers. They change nothing.",
	again: "Check again",
	checking: "Checking. This takes some seconds.",
	version: "Version",
	allGood: "Everything is in order",
	needsAttention: (count: number) =>
		count === 1 ? "One check needs attention" : `${count} checks need attention`,
	broken: (count: number) => (count === 1 ? "One check failed" : `${count} checks failed`),
	brokenText: "The service cannot work like this. What to do is said at each check.",
	attentionText: "The service works. What to do is said at each check.",
	statuses: { ok: "In order", warn: "Attention", fail: "Failed" },
	check: "Check",
	status: "State",
	detail: "Result, and what to do",
	caption: "Checks of the installation",
	about: {
		node: "Node.js",
		disk: "Disk space",
		"data folder": "Data folder",
		"master key": "Master key",
		database: "Database",
		schema: "Schema",
		secrets: "Secrets",
		clock: "Clock",
		certificate: "Certificate",
		"public url": "Public address",
		redis: "Redis",
		mail: "Mail",
		installation: "Installation",
		settings: "Settings",
	} as Readonly<Record<string, string>>,
	/** The API speaks English. */
	detailOf: (detail: string) => detail,
	port: (number: string) => `Port ${number}`,
};
