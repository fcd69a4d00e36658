// The partner part of the day: review, refused calls, a denied user, a new Secret.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { COLLEAGUE } from "./day-people.ts";
import { API, type Day, OPERATOR, readMail } from "./day-setting.ts";
import type { Variable } from "./words.ts";

const PARTNER = "ada@partner.example";
const PROJECT = "Analytical Engine";
const WHOAMI = `${API}/external/whoami`;
const CHECK = `${API}/external/users/check-access`;

/** The environment variables of `latchkey sign`. */
type Credentials = Readonly<
	Record<"LK_BASE_URL" | "LK_TENANT_ID" | "LK_APP_ID" | "LK_API_KEY" | "LK_SECRET", string>
>;

export async function reviewPartner(day: Day): Promise<Credentials> {
	const { stage, env } = day;
	stage.step("A partner asks for access; the mail to the reviewer links to the request");
	const json = {
		applicant_name: "Ada Lovelace",
		email: PARTNER,
		company: "Engines Ltd",
		project_name: PROJECT,
		purpose: "To see who may use the engine.",
	};
	const request = await stage.curl(
		"POST",
		`${API}/access-requests`,
		{ json, show: ["email", "status"] },
		201,
	);
	const linked = await readMail(day, OPERATOR, /\/console\/requests\/([0-9a-f-]+)/);
	if (linked !== request.id) stage.fail("the mail links to another request");

	stage.step("The operator reads the request and approves it");
	const show = ["project_name", "applicant_name", "company", "purpose", "status"];
	const [pending] = await stage.latchkey(["api", "GET", "/requests", "-f", "status=pending", "--paginate"], {
		env,
		show,
		until: (lines) => lines.length === 1,
	});
	const asked = stage.set("REQUEST", pending.id);
	const decided = { env, show, hide: [asked] };
	await stage.api(["POST", `/requests/${asked.value}/approve`, "-f", "review_note=Welcome."], decided);

	stage.step("The partner claims the credentials");
	const token = stage.set("CLAIM", await readMail(day, PARTNER, /\/claim#([A-Za-z0-9_-]+)/, 2));
	const claim = { json: { token: token.value }, hide: [token], show: ["name", "api_key"] };
	const { data } = await stage.curl("POST", `${API}/access-requests/claim`, claim, 201);
	return {
		LK_BASE_URL: stage.baseUrl,
		LK_TENANT_ID: data.tenant_id,
		LK_APP_ID: data.app_id,
		LK_API_KEY: data.api_key,
		LK_SECRET: data.secret,
	};
}

export async function helpPartner(day: Day, partner: Credentials): Promise<void> {
	const client = await explainRefusal(day, partner);
	await explainDenial(day, partner, client);
	await rotate(day, partner, client);
}

/** @returns the id of the client. */
async function explainRefusal({ stage, env, key }: Day, partner: Credentials): Promise<Variable> {
	stage.step("The partner's calls are refused, and the operator finds out why");
	const mistyped = {
		...partner,
		LK_SECRET: partner.LK_SECRET.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
	};
	await stage.sign(WHOAMI, { env: mistyped }, 401);
	const named = ["api", "GET", "/api-clients", "-f", `q=${PROJECT}`, "--paginate"];
	const [refused] = await stage.latchkey(named, { env, show: ["name", "status"] });
	const refusedId = stage.set("CLIENT_ID", refused.id);
	const shown = {
		env,
		show: ["at", "code", "reason", "ip"],
		hide: [refusedId],
		until: (lines: readonly unknown[]) => lines.length === 1,
	};
	const list = ["api", "GET", "/refusals", "-f", `api_client_id=${refused.id}`, "--paginate"];
	const [refusal] = await stage.latchkey(list, shown);
	if (refusal.reason !== "signature.mismatch") stage.fail(`the reason is ${refusal.reason}`);

	stage.step("A script asks the API with the admin key, and has the signature explained");
	const apiKey = stage.set("LK_API_KEY", partner.LK_API_KEY);
	const token = key;
	const search = { token, hide: [apiKey], show: ["name", "status"] };
	const found = await stage.curl("GET", `${API}/api-clients?q=${partner.LK_API_KEY}`, search, 200);
	const client = stage.set("CLIENT", found.data[0].id);
	const path = `${API}/api-clients/${client.value}`;
	const refusals = { token, hide: [client], show: ["code", "reason", "total"] };
	await stage.curl("GET", `${API}/refusals?api_client_id=${client.value}`, refusals, 200);
	const sent = await stage.signedHeaders(WHOAMI, mistyped);
	const json = {
		method: "GET",
		target: WHOAMI,
		headers: Object.fromEntries(sent.map(({ name, value }) => [name, value])),
	};
	const hide = [
		client,
		...sent.map(({ name, value }) => ({ name: name.toUpperCase().replaceAll("-", "_"), value })),
	];
	const explain = { token, json, hide, show: ["accepted", "failed_check"] };
	const { data } = await stage.curl("POST", `${path}/explain-signature`, explain, 200);
	if (data.accepted || data.failed_check !== "signature") stage.fail(`${data.failed_check} failed instead`);
	return client;
}

async function explainDenial(
	{ stage, key: token }: Day,
	partner: Credentials,
	client: Variable,
): Promise<void> {
	stage.step("The partner reports that Grace is denied, and the operator finds out why");
	const search = { token, show: ["username", "email", "total"] };
	const found = await stage.curl("GET", `${API}/users?email=${COLLEAGUE}`, search, 200);
	const grace = stage.set("GRACE", found.data[0].id);
	const record = { token, hide: [client], show: ["name", "status"] };
	const app = stage.set(
		"APP",
		(await stage.curl("GET", `${API}/api-clients/${client.value}`, record, 200)).data.app_id,
	);
	const question = {
		env: partner,
		json: { user_id: grace.value },
		hide: [grace],
		show: ["allowed", "reason"],
	};
	const denied = await stage.sign(CHECK, question, 200);
	const json = { user_id: grace.value, app_id: app.value };
	const explain = { token, json, hide: [grace, app], show: ["allowed", "reason", "needed", "what"] };
	const { data } = await stage.curl("POST", `${API}/access/explain`, explain, 200);
	if (denied.data.allowed || data.reason !== "not_assigned") stage.fail(`the reason is ${data.reason}`);
	const grant = { token, json: { roles: [] }, hide: [grace, app], show: ["roles"] };
	await stage.curl("PUT", `${API}/applications/${app.value}/grants/users/${grace.value}`, grant, 201);
	if (!(await stage.sign(CHECK, question, 200)).data.allowed) stage.fail("she is still denied");
}

async function rotate({ stage, env }: Day, partner: Credentials, client: Variable): Promise<void> {
	stage.step("The operator rotates the partner's Secret, and the old one works for another hour");
	using folder = temporaryFolder();
	const file = { name: "NEW_SECRET_FILE", value: join(folder.path, "secret.json") };
	const path = `/api-clients/${client.value}/regenerate-secret`;
	const args = ["POST", path, "-f", "overlap_seconds=3600", "--output", file.value];
	await stage.api(args, { env, hide: [client, file] });
	const { data } = JSON.parse(readFileSync(file.value, "utf8"));
	for (const LK_SECRET of [partner.LK_SECRET, data.secret])
		await stage.sign(WHOAMI, { env: { ...partner, LK_SECRET }, show: ["client", "name"] }, 200);
}
