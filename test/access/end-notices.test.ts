// The digest a week before access ends.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Db } from "../../src/domain/stores.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { API_CLIENTS, APPLICATIONS, addApiClient, addApplication } from "../harness/access/applications.ts";
import { inMs, runEndNotices } from "../harness/access/ends.ts";
import { addGroup, GROUPS, putGroupGrant } from "../harness/access/groups.ts";
import { addRequestable } from "../harness/access/person-requests.ts";
import { addPerson } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();
const inDays = (days: number): string => inMs(service, days * DAY_MS);
const passDays = (days: number): void => service.clock.advance(days * DAY_MS);
const grant = (appId: string, place: string, days: number) =>
	service.asAdmin("PUT", `${APPLICATIONS}/${appId}/grants/${place}`, { expires_at: inDays(days) });

/** The mails to an address: their subject and the lines of their list. */
async function digestsTo(address: string): Promise<{ subject: string; lines: string[] }[]> {
	await using engine = await service.openDatabase();
	const sql = "SELECT count(*) AS total FROM mail_outbox WHERE recipient = $1";
	const row = await engine.queries.one<{ total: number }>(sql, address);
	const mails = await service.mailsTo(address, row?.total ?? 0);
	return mails
		.filter(({ text = "" }) => text.includes("Ends:"))
		.map(({ subject = "", text = "" }) => ({
			subject,
			lines: [...text.matchAll(/^> (.*)$/gm)].map(([, line = ""]) => line),
		}));
}
const countOf = async (address: string) => (await digestsTo(address)).length;

describe("the digest of ends", () => {
	it("goes once to the person and once to the reviewers, with all ends of the week", async () => {
		service.clock.standAt(service.clock.now());
		const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
		const ada = await addPerson(service, "ada");
		const [books, wiki] = [
			await addApplication(service, { name: "Books" }),
			await addApplication(service, { name: "Wiki" }),
		];
		const group = await addGroup(service, [], { name: "Closers" });
		const client = await addApiClient(service, { app_id: wiki.id, name: "Engine" });
		await grant(books.id, `users/${ada.id}`, 20);
		await service.asAdmin("PUT", `${GROUPS}/${group.id}/members/${ada.id}`, { expires_at: inDays(20.5) });
		await grant(wiki.id, `groups/${group.id}`, 20.6);
		await grant(wiki.id, `api-clients/${client.id}`, 20.7);
		await grant(wiki.id, `users/${ada.id}`, 30);
		passDays(12.9);
		assert.equal(await runEndNotices(service), 0);
		passDays(0.1);
		const counts = await Promise.all([
			runEndNotices(service),
			runEndNotices(service),
			runEndNotices(service),
		]);
		assert.equal(
			counts.reduce((sum, count) => sum + count),
			4,
		);
		const shown = (days: number) => `${inDays(days).slice(0, 10)} (UTC)`;
		assert.deepEqual(await digestsTo(ada.email), [
			{ subject: "Your access ends soon", lines: [`Books: ${shown(7)}`, `Closers: ${shown(7.5)}`] },
		]);
		assert.deepEqual(await digestsTo(reviewer.email), [
			{
				subject: "Access that ends within eight days: 4",
				lines: [
					`Books, ada: ${shown(7)}`,
					`Closers, ada: ${shown(7.5)}`,
					`Wiki, Closers: ${shown(7.6)}`,
					`Wiki, Engine: ${shown(7.7)}`,
				],
			},
		]);
		assert.equal(await runEndNotices(service), 0);
		passDays(1);
		assert.equal(await runEndNotices(service), 0);
	});

	it("leaves out access of less than 14 days, and repeats what was extended", async () => {
		const app = await addApplication(service);
		const [short, long] = [await addPerson(service, "short"), await addPerson(service, "long")];
		await grant(app.id, `users/${short.id}`, 13.9);
		await grant(app.id, `users/${long.id}`, 14);
		passDays(8);
		await runEndNotices(service);
		assert.deepEqual([await countOf(short.email), await countOf(long.email)], [0, 1]);
		await grant(app.id, `users/${long.id}`, 20);
		await runEndNotices(service);
		assert.equal(await countOf(long.email), 1);
		passDays(14);
		await runEndNotices(service);
		assert.equal(await countOf(long.email), 2);
	});

	it("goes to the members of the application's reviewers instead", async () => {
		const member = await addPerson(service, "member");
		const reviewers = await addGroup(service, [member.id]);
		const app = await addRequestable(service, { reviewers: reviewers.id });
		const eve = await addPerson(service, "eve");
		await grant(app, `users/${eve.id}`, 20);
		passDays(14);
		const before = await countOf("reviewer@people.example");
		await runEndNotices(service);
		assert.deepEqual(
			[await countOf(member.email), await countOf(eve.email), await countOf("reviewer@people.example")],
			[1, 1, before],
		);
	});

	it("is sent by the next run if a process dies before the commit, and to no disabled person", async () => {
		const app = await addApplication(service);
		const group = await addGroup(service);
		await putGroupGrant(service, app.id, group.id);
		const [dying, gone] = [await addPerson(service, "dying"), await addPerson(service, "gone")];
		for (const { id } of [dying, gone]) await grant(app.id, `users/${id}`, 20);
		await service.asAdmin("PATCH", `/api/v1/users/${gone.id}`, { status: "disabled" });
		passDays(14);
		const dies = (db: Db): Db => ({
			...db,
			transaction: (work) =>
				db.transaction(async (stores) => {
					await work(stores);
					throw new Error("the process dies");
				}),
		});
		await assert.rejects(runEndNotices(service, dies), /dies/);
		assert.equal(await countOf(dying.email), 0);
		await runEndNotices(service);
		assert.deepEqual([await countOf(dying.email), await countOf(gone.email)], [1, 0]);
	});

	it("lists 20 of many ends, and counts all", async () => {
		const app = await addApplication(service);
		const watcher = await addPerson(service, "watcher", { roles: ["reviewer"] });
		for (let count = 0; count < 22; count++) {
			const { id } = await service.asAdmin("POST", API_CLIENTS, { app_id: app.id, name: `Client ${count}` });
			await grant(app.id, `api-clients/${id}`, 20);
		}
		passDays(14);
		await runEndNotices(service);
		const [digest] = await digestsTo(watcher.email);
		assert.equal(digest?.subject, "Access that ends within eight days: 22");
		assert.deepEqual([digest?.lines.length, digest?.lines.at(-1)], [21, "… + 2"]);
	});
});
