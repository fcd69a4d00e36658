// Finds the mails of the tour, which are .eml files in the data directory.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";

const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 20;

export interface FoundMail {
	readonly subject: string;
	/** The first group of the pattern. */
	readonly found: string;
}

/** The first mail to the address whose text matches; undefined if none arrives within 30 s. */
export async function findMail(
	dataDir: string,
	address: string,
	pattern: RegExp,
): Promise<FoundMail | undefined> {
	const folder = join(dataDir, "mail");
	const deadline = Date.now() + PATIENCE_MS;
	while (Date.now() < deadline) {
		const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".eml")) : [];
		for (const file of files.sort()) {
			const mail = await PostalMime.parse(readFileSync(join(folder, file)));
			const [, found] = pattern.exec(mail.text ?? "") ?? [];
			const isToAddress = mail.to?.some((to) => to.address === address) === true;
			if (isToAddress && found !== undefined) return { subject: mail.subject ?? "", found };
		}
		await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
	}
	return undefined;
}
