// Statistics: counts by hour and day.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { HOUR_MS } from "../../src/kernel/clock.ts";
import { submission, submit } from "../harness/access/access-requests.ts";
import { ABSENT_ID, addApiClient, addCast, problemOf } from "../harness/access/applications.ts";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { listMails, mailIn } from "../harness/mail/mails.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { ADMIN, startTestService } from "../harness/service/service.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

/** The middle of an hour, so that no count falls into the next one. */
const AT_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS / 2;
/** A background job writes the counts every few seconds. */
const PATIENCE_MS = 30_000;
const STATS = "/api/v1/stats";
const WHOAMI = "/api/v1/external/whoami";

type Step = DataOf<"GET /api/v1/stats">["steps"][number];

async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const value = await read();
		if (isDone(value)) return value;
		if (Date.now() > deadline) assert.fail(JSON.stringify(value));
		await setTimeout(100);
	}
}

const service = testService({ metrics: true, atMs: AT_MS });
const cast = fixture(() => addCast(service));

describe("GET /api/v1/stats", () => {
	const read = async (query = "", token = cast.admin) => {
		const response = await service.call("GET", `${STATS}?${query}`, { token });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	const current = async (token?: string) => (await read("", token)).steps.at(-1) as Step;
	const counted = (isThere: (step: Step) => boolean): Promise<Step> => eventually(() => current(), isThere);
	const login = (username: string, password: string) =>
		service.call("POST", "/api/v1/auth/login", { body: { username, password } });

	describe("200", () => {
		it("counts sign-ins, registrations, signed calls and refusals by code, within the tenant", async () => {
			const client = await addApiClient(service, { scopes: [] });
			for (let n = 0; n < 3; n++) assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
			const calls = [
				await service.signed(client, "GET", `/api/v1/external/users/${ABSENT_ID}`),
				await service.signed({ ...client, secret: "sk_of_another_client" }, "GET", WHOAMI),
				await service.signed({ ...client, api_key: "ak_0123456789abcdef0123456789" }, "GET", WHOAMI),
				await service.signed(client, "GET", WHOAMI, { headers: { "x-api-key": "" } }),
			];
			assert.deepEqual(
				calls.map(({ status }) => status),
				[403, 401, 401, 401],
			);
			assert.equal((await login(ADMIN.username, "a wrong password")).status, 401);
			assert.equal((await login(ADMIN.username, ADMIN.password)).status, 200);
			await service.call("POST", "/api/v1/access-requests", { body: submission() });
			const email = "registers@people.example";
			await service.call("POST", "/api/v1/auth/register/send-code", { body: { email } });
			const [mail] = await service.mailsTo(email);
			const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0];
			const body = { username: "registers", email, password: "a password of their own", code };
			assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 201);
			const step = await counted(
				({ registrations, refused_calls }) => registrations > 0 && refused_calls["signature.headers"] === 1,
			);
			// The users of the cast and one more.
			assert.deepEqual([step.sign_ins, step.registrations, step.signed_calls], [5, 1, 3]);
			assert.deepEqual(step.refused_calls, {
				"scope.missing": 1,
				"signature.headers": 1,
				"signature.invalid": 2,
			});
			assert.deepEqual(step.refused_sign_ins, { "credentials.invalid": 1 });
			assert.equal(step.pending_requests, 1);
			const mails = await eventually(
				() => listMails(service),
				(all) => all.every(({ state }) => state === "sent"),
			);
			assert.ok(mails.length >= 2, `${mails.length} mails`);
			const { mails_sent, mails_failed } = await counted((one) => one.mails_sent >= mails.length);
			assert.deepEqual([mails_sent, mails_failed], [mails.length, 0]);
			const { signed_calls, refused_calls, refused_sign_ins, pending_requests, mails_waiting } =
				await current(cast.other.adminToken);
			assert.deepEqual(
				[signed_calls, refused_calls, refused_sign_ins, pending_requests, mails_waiting],
				[0, {}, {}, 0, 0],
			);
			assert.deepEqual(await current(cast.auditor.token), step);
			const metrics = await metricsOf(service);
			assert.equal(metrics.get('latchkey_signed_calls_total{outcome="success"}'), 3);
			assert.equal(metrics.get('latchkey_signed_calls_total{outcome="signature.invalid"}'), 2);
			assert.equal(metrics.get('latchkey_sign_ins_total{outcome="credentials.invalid"}'), 1);
			assert.ok((metrics.get("latchkey_sessions") ?? 0) > 4);
		});

		it("returns every step of the range, widened to whole steps of UTC", async () => {
			const hours = await read("from=2026-01-01T10:30:00Z&to=2026-01-01T13:00:00Z");
			assert.deepEqual(
				[hours.from, hours.to, hours.step, hours.steps.map(({ at }) => at)],
				[
					"2026-01-01T10:00:00.000Z",
					"2026-01-01T13:00:00.000Z",
					"hour",
					["2026-01-01T10:00:00.000Z", "2026-01-01T11:00:00.000Z", "2026-01-01T12:00:00.000Z"],
				],
			);
			const days = await read("from=2026-01-01T10:30:00%2B02:00&to=2026-01-02T00:00:01Z&step=day");
			assert.deepEqual(
				days.steps.map(({ at }) => at),
				["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"],
			);
			assert.equal((await read()).steps.length, 25);
			assert.equal((await read("step=day")).steps.length, 31);
			const { steps } = await read(
				`to=2999-01-01T00:00:00Z&from=${new Date(service.clock.now()).toISOString()}`,
			);
			assert.equal(steps.length, 1);
		});
	});

	describe("400", () => {
		it("rejects a range that is empty, in the future or too long", async () => {
			for (const query of [
				"from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
				"from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
				"from=2999-01-01T00:00:00Z",
				"from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z",
				"from=2025-01-01T00:00:00Z&to=2026-01-02T00:00:01Z&step=day",
			]) {
				const { status, code, fields } = await problemOf(service, "GET", `${STATS}?${query}`);
				assert.deepEqual([status, code, fields], [400, "request.invalid", ["from"]], query);
			}
			await read("from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z");
			await read("from=2025-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=day");
		});
	});
});

describe("statistics of mails", () => {
	it("count those that the mail server took, and those that it refused", async () => {
		const refused = "refused@people.example";
		const server = await startMailServer({
			refusalOf: (address) => (address === refused ? 550 : undefined),
		});
		const mailing = await startTestService({ atMs: AT_MS, env: { LATCHKEY_SMTP_URL: server.url } });
		try {
			await submit(mailing, { email: refused });
			await submit(mailing, { email: "taken@people.example" });
			await mailIn(mailing, "failed", refused);
			await mailIn(mailing, "sent", "taken@people.example");
			const states = (await listMails(mailing)).map(({ state }) => state);
			const sent = states.filter((state) => state === "sent").length;
			const counts = await eventually(
				async () => (await mailing.asAdmin("GET", STATS)).steps.at(-1) as Step,
				(step) => step.mails_failed > 0 && step.mails_sent >= sent,
			);
			assert.deepEqual([counts.mails_failed, counts.mails_sent], [1, sent]);
		} finally {
			await mailing.stop();
			await server.close();
		}
	});
});

describe("statistics across a stop", () => {
	it("are stored by a graceful stop", async () => {
		const first = await startTestService({ metrics: true, atMs: AT_MS });
		const client = await addApiClient(first);
		for (let n = 0; n < 3; n++) await first.signed({ ...client, secret: "sk_other" }, "GET", WHOAMI);
		await first.signed(client, "GET", WHOAMI);
		// The service sends a response before it counts the call.
		await eventually(
			() => metricsOf(first),
			(metrics) =>
				metrics.get('latchkey_signed_calls_total{outcome="success"}') === 1 &&
				metrics.get('latchkey_signed_calls_total{outcome="signature.invalid"}') === 3,
		);
		const database = await first.openDatabase();
		await first.service.stop();
		const stored = await database.queries.all<{ subject_id: string; measure: string; total: number }>(
			"SELECT subject_id, measure, total FROM statistics WHERE step = 'hour' AND measure LIKE 'signed_call%' ORDER BY measure, subject_id",
		);
		// Of the tenant, and of the client.
		assert.deepEqual(
			stored.map(({ subject_id, measure, total }) => [subject_id, measure, total]),
			[
				["", "signed_call", 1],
				[client.id, "signed_call", 1],
				["", "signed_call_refused", 3],
				[client.id, "signed_call_refused", 3],
			],
		);
		const calls = await database.queries.all("SELECT id FROM refusals WHERE api_client_id = $1", client.id);
		assert.equal(calls.length, 3);
		await database.close();
		await first.stop();
	});
});
