// Lists the mails of the first tenant as its admin.

import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const MAILS = "/api/v1/mails";

type ListedMail = DataOf<"GET /api/v1/mails">[number];

/** Up to 100 mails, newest first; `query` adds parameters. */
export async function listMails(service: TestService, query = "page=1"): Promise<ListedMail[]> {
	return [...(await service.asAdmin("GET", `${MAILS}?page_size=100&${query}`))];
}

/** Waits up to 20 s until the newest mail to the address has the state and satisfies `is`. */
export async function mailIn(
	service: TestService,
	state: ListedMail["state"],
	to: string,
	is: (mail: ListedMail) => boolean = () => true,
): Promise<ListedMail> {
	const deadline = Date.now() + 60_000;
	for (;;) {
		const [mail] = await listMails(service, `to=${encodeURIComponent(to)}`);
		if (mail?.state === state && is(mail)) return mail;
		if (Date.now() > deadline) throw new Error(`the mail to ${to} is ${JSON.stringify(mail)}, not ${state}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
