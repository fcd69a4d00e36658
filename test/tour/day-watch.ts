// The rest of the day: queues, statistics, the audit trail, and deleting the key.

import { API, type Day, KEY_NAME } from "./day-setting.ts";

const UNREACHABLE = "alan@people.example";

export async function watchQueues({ stage, env, key: token, refused }: Day): Promise<void> {
	stage.step("A mail does not arrive, and the operator finds out why and sends it again");
	refused.add(UNREACHABLE);
	const isOne = (lines: readonly unknown[]): boolean => lines.length === 1;
	const shown = { env, show: ["to", "subject", "state", "last_error"] };
	const fields = ["username=alan", `email=${UNREACHABLE}`, "invite=true"].flatMap((field) => ["-f", field]);
	await stage.api(["POST", "/users", ...fields], { env, show: ["username", "status"] });
	const mails = ["api", "GET", "/mails", "--paginate"];
	const [failed] = await stage.latchkey([...mails, "-f", "state=failed"], { ...shown, until: isOne });
	if (!/550/.test(failed.last_error)) stage.fail(`the error is ${failed.last_error}`);
	stage.say("the mail server accepts the address now");
	refused.delete(UNREACHABLE);
	const mail = stage.set("MAIL", failed.id);
	await stage.api(["POST", `/mails/${mail.value}/resend`], { env, hide: [mail] });
	const sent = [...mails, "-f", "state=sent", "-f", `to=${UNREACHABLE}`];
	await stage.latchkey(sent, { ...shown, until: isOne });
	const waiting = { token, show: ["to", "state", "total"] };
	const { total } = await stage.curl("GET", `${API}/mails?state=waiting`, waiting, 200);
	if (total !== 0) stage.fail(`${total} mails wait`);

	stage.step("Statistics of the day, with a command and with the key");
	const shownCounts = [
		"steps",
		"at",
		"sign_ins",
		"refused_sign_ins",
		"credentials.invalid",
		"refused_calls",
		"signature.invalid",
		"mails_waiting",
	];
	const isCounted = (steps: readonly { refused_calls: Record<string, number> }[]): boolean =>
		steps.some(({ refused_calls }) => refused_calls["signature.invalid"] === 1);
	const from = new Date(Date.now() - 60_000).toISOString();
	await stage.api(["GET", "/stats", "-f", "step=day", "-f", `from=${from}`], {
		env,
		show: shownCounts,
		until: ([body]) => isCounted(body.data.steps),
	});
	const stats = await stage.curl(
		"GET",
		`${API}/stats?step=day&from=${from}`,
		{ token, show: ["step", "from", "to"] },
		200,
	);
	if (!isCounted(stats.data.steps)) stage.fail("the key gets other statistics");
}

export async function readTrail({ stage, key, admin }: Day): Promise<void> {
	stage.step("The audit trail shows who did what");
	const shown = { token: key, show: ["summary", "total"] };
	const byKey = `${API}/audit-events?actor_name=${encodeURIComponent(KEY_NAME)}`;
	const { data } = await stage.curl("GET", byKey, shown, 200);
	for (const { summary } of data)
		if (!summary.startsWith(`Admin key ${KEY_NAME} `)) stage.fail(`the summary is ${summary}`);
	if (data.length !== 3) stage.fail(`${data.length} events of the key instead of 3`);
	const unlocked = await stage.curl("GET", `${API}/audit-events?action=user.unlocked`, shown, 200);
	if (!/\(command line\) unlocked user grace$/.test(unlocked.data[0]?.summary))
		stage.fail("no unlock by command");

	stage.step("In the evening, the admin deletes the key, which a key may not do");
	const listed = await stage.curl(
		"GET",
		`${API}/admin-keys`,
		{ token: admin, show: ["name", "last_used_ip"] },
		200,
	);
	const id = stage.set("KEY_ID", listed.data[0].id);
	await stage.curl("DELETE", `${API}/admin-keys/${id.value}`, { token: key, hide: [id] }, 403);
	await stage.curl("DELETE", `${API}/admin-keys/${id.value}`, { token: admin, hide: [id] }, 204);
	await stage.curl("GET", `${API}/users`, { token: key }, 401);
}
