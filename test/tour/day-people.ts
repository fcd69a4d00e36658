// The user part of the day: invitations, an unlock, a password reset.

import { API, type Day, readMail } from "./day-setting.ts";

export const COLLEAGUE = "grace@people.example";
const SCRIPTED = "linus@people.example";
const PASSWORD = "compilers for everybody";
const NEW_PASSWORD = "a nanosecond of wire";
/** Consecutive wrong passwords that delay the account. */
const WRONG_PASSWORDS = 5;

export async function invitePeople(day: Day): Promise<void> {
	const { stage, env, key } = day;
	const shown = { env, show: ["username", "email", "status", "display_name"] };
	stage.step("The operator invites one user with a command, and a script invites another with the key");
	const fields = ["username=grace", `email=${COLLEAGUE}`, "display_name=Grace Hopper", "invite=true"];
	await stage.api(["POST", "/users", ...fields.flatMap((field) => ["-f", field])], shown);
	const json = { username: "linus", email: SCRIPTED, invite: true };
	await stage.curl("POST", `${API}/users`, { token: key, json, show: shown.show }, 201);

	stage.step("Grace accepts with the mailed link, and the operator reminds the user who did not");
	const token = stage.set("INVITE", await readMail(day, COLLEAGUE, /\/invite#([A-Za-z0-9_-]+)/));
	const accept = {
		json: { token: token.value, password: PASSWORD },
		hide: [token],
		show: ["username", "status"],
	};
	await stage.curl("POST", `${API}/auth/invite/accept`, accept, 200);
	const invited = await stage.api(["GET", "/users", "-f", "status=invited"], shown);
	const [{ id, email }] = invited.data;
	if (email !== SCRIPTED) stage.fail("another list of invited people");
	const linus = stage.set("LINUS", id);
	await stage.api(["POST", `/users/${id}/invite`], { ...shown, hide: [linus] });
	await readMail(day, SCRIPTED, /\/invite#([A-Za-z0-9_-]+)/, 2);
}

export async function helpPeople(day: Day): Promise<void> {
	const { stage, env } = day;
	const signIn = (password: string, status: number) =>
		stage.curl(
			"POST",
			`${API}/auth/login`,
			{ json: { username: "grace", password }, show: ["username", "expires_in"] },
			status,
		);

	stage.step("Grace mistypes her password until she has to wait, and the operator unlocks her");
	for (let tries = 0; tries < WRONG_PASSWORDS; tries++) await signIn(`compilers ${tries}`, 401);
	await signIn(PASSWORD, 429);
	await stage.latchkey(["user", "unlock", COLLEAGUE], { env, show: ["username"] });
	await signIn(PASSWORD, 200);
	const record = { env, show: ["username", "email"] };
	const found = await stage.api(["GET", "/users", "-f", `email=${COLLEAGUE}`], record);
	const grace = stage.set("GRACE_ID", found.data[0].id);
	const shown = { env, show: ["device", "ip", "created_at", "total"], hide: [grace] };
	const { total } = await stage.api(["GET", `/users/${grace.value}/sessions`], shown);
	if (total !== 2) stage.fail(`${total} sessions instead of 2`);

	stage.step("Grace forgets the password, and the operator sends a reset link without seeing a password");
	await stage.api(["POST", `/users/${grace.value}/send-reset`], { env, hide: [grace] });
	const token = stage.set("RESET", await readMail(day, COLLEAGUE, /\/reset#([A-Za-z0-9_-]+)/, 2));
	const json = { token: token.value, new_password: NEW_PASSWORD };
	await stage.curl("POST", `${API}/auth/password/reset`, { json, hide: [token] }, 204);
	await signIn(NEW_PASSWORD, 200);
}
