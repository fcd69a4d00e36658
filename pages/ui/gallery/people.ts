// Example records, with names that test a layout: long, right-to-left, and full of markup.

export interface Person {
	readonly id: string;
	readonly name: string;
	readonly email: string;
	readonly status: "active" | "invited" | "disabled";
	readonly roles: string;
	readonly lastSeen: string;
	readonly sessions: number;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export const PEOPLE: readonly Person[] = [
	person("1", "Ada Lovelace", "ada@example.com", "active", "admin", 4, 3),
	person("2", "王小明", "xiaoming.wang@example.cn", "active", "reviewer", 61, 1),
	person("3", "نور الهدى بنت عبد الرحمن", "nour@example.org", "invited", "user", 60 * 26, 0),
	person("4", "<img src=x onerror=alert(1)>", "markup@example.com", "disabled", "user", 60 * 24 * 9, 0),
	person(
		"5",
		"Wolfeschlegelsteinhausenbergerdorff Wolfgang-Maximilian der Ältere",
		"w.wolfeschlegelsteinhausenbergerdorff@averyveryverylongdomainname.example",
		"active",
		"auditor, reviewer",
		60 * 24 * 40,
		12,
	),
];

function person(
	id: string,
	name: string,
	email: string,
	status: Person["status"],
	roles: string,
	minutes: number,
	sessions: number,
): Person {
	return { id, name, email, status, roles, lastSeen: minutesAgo(minutes), sessions };
}
