// Texts of the console's installation screen.

import type { Check, CheckSubject } from "./check.ts";

export default {
	title: "Installation",
	description: "Health of this node: the same checks as “latchkey doctor”. Read-only.",
	again: "Check again",
	checking: "Checking. This takes a few seconds.",
	version: "Version",
	allGood: "All checks passed",
	needsAttention: (count: number) =>
		count === 1 ? "One check needs attention" : `${count} checks need attention`,
	broken: (count: number) => (count === 1 ? "One check failed" : `${count} checks failed`),
	failedTask: (count: number) =>
		count === 1 ? "A check of the installation failed" : `${count} checks of the installation failed`,
	brokenText: "The service cannot work in this state. Each check says what to do.",
	attentionText: "The service works. Each check says what to do.",
	statuses: { ok: "OK", warn: "Attention", fail: "Failed" },
	check: "Check",
	status: "Status",
	detail: "Result and what to do",
	caption: "Checks of the installation",
	/** By the first part of a code. */
	subjects: {
		settings: "Settings",
		installation: "Installation",
		node: "Node.js",
		disk: "Disk space",
		data_directory: "Data directory",
		master_key: "Master key",
		database: "Database",
		schema: "Schema",
		secrets: "Secrets",
		descriptors: "File descriptors",
		oauth_clients: "OAuth clients",
		clock: "Clock",
		certificate: "Certificate",
		port: "Port {port}",
		public_url: "Public URL",
		redis: "Redis",
		mail: "Mail",
		breached_passwords: "Breached passwords",
	} satisfies Readonly<Record<CheckSubject, string>>,
	/** The API speaks English. */
	detailOf: ({ detail }: Check): string => detail,
};
