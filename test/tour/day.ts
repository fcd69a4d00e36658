// An operator's day: invite, review, find out why calls are refused, unlock, send a reset, rotate a Secret, watch the queues.

import { startMailServer } from "../harness/mail/mail-server.ts";
import { helpPartner, reviewPartner } from "./day-partner.ts";
import { helpPeople, invitePeople } from "./day-people.ts";
import { API, type Day, KEY_NAME, OPERATOR } from "./day-setting.ts";
import { readTrail, watchQueues } from "./day-watch.ts";
import type { Play, Setting } from "./perform.ts";

const DAY_MS = 86_400_000;

export async function prepareDay(): Promise<Play> {
	const refused = new Set<string>();
	const mails = await startMailServer({ refusalOf: (address) => (refused.has(address) ? 550 : undefined) });
	const settings = {
		LATCHKEY_ADMIN_EMAIL: OPERATOR,
		LATCHKEY_MAIL_FROM: "accounts@acme.test",
		LATCHKEY_SMTP_URL: mails.url,
	};
	const run = async (setting: Setting): Promise<void> => {
		const day = { ...setting, mails, refused, ...(await makeKey(setting)) };
		await invitePeople(day);
		const partner = await reviewPartner(day);
		await helpPartner(day, partner);
		await helpPeople(day);
		await watchQueues(day);
		await readTrail(day);
	};
	return { settings, run, close: () => mails.close() };
}

async function makeKey({ stage, adminPassword }: Setting): Promise<Pick<Day, "admin" | "key">> {
	stage.step("The first admin signs in and creates an admin key for the day");
	const password = { name: "PASSWORD", value: adminPassword };
	const body = { username: "admin", password: adminPassword };
	const shown = { hide: [password], show: ["access_token", "expires_in"] };
	const login = await stage.curl("POST", `${API}/auth/login`, { json: body, ...shown }, 200);
	const token = stage.set("TOKEN", login.data.access_token);
	const json = {
		name: KEY_NAME,
		roles: ["admin"],
		expires_at: new Date(Date.now() + DAY_MS).toISOString(),
	};
	const show = ["name", "roles", "expires_at", "key"];
	const made = await stage.curl("POST", `${API}/admin-keys`, { token, json, show }, 201);
	return { admin: token, key: stage.set("ADMIN_KEY", made.data.key) };
}
