// Two nodes and one outbox: each mail is sent by one of them, and one that is killed while it sends costs a duplicate at most.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { submission } from "../harness/access-requests.ts";
import { type MailServer, startMailServer, type TakenMail } from "../harness/mail-server.ts";
import { type Caller, NODES_SKIPPED, type Node, type Nodes, startNodes } from "../harness/nodes.ts";

const KILLS = 3;
const BURST = 100;
/** Submissions: what a busy machine still answers in time. */
const AT_ONCE = 16;
const PATIENCE_MS = 30_000;

/** Each submission mails a receipt to the applicant; answers those that were taken. */
async function submit(callers: readonly Caller[], count: number): Promise<string[]> {
	const addresses: string[] = [];
	const one = async (index: number): Promise<void> => {
		const body = submission();
		const caller = callers[index % callers.length] as Caller;
		const answer = await caller.call("POST", "/api/v1/access-requests", { body }).catch(() => undefined);
		if (answer?.status === 201) addresses.push(String(body.email));
	};
	let next = 0;
	const inARow = async (): Promise<void> => {
		while (next < count) await one(next++);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, inARow));
	return addresses;
}

function timesTaken(taken: readonly TakenMail[], address: string): number {
	return taken.filter(({ to }) => to === address).length;
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<number> {
	const began = performance.now();
	while (!(await isTrue())) {
		assert.ok(performance.now() - began < PATIENCE_MS, `waited 30 s until ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	return performance.now() - began;
}

const sentBy = (node: Node): Promise<number> => node.figure("latchkey_mail_sent_total");
const waiting = (node: Node): Promise<number> => node.figure("latchkey_mail_due");

async function withNodes(work: (installation: Nodes, mail: MailServer) => Promise<void>): Promise<void> {
	const mail = await startMailServer({ slowMs: 5 });
	const env = { LATCHKEY_SMTP_URL: mail.url, LATCHKEY_MAIL_FROM: "latchkey@mail.example" };
	const installation = await startNodes(env);
	try {
		await work(installation, mail);
	} finally {
		await installation.remove();
		await mail.close();
	}
}

describe("mail of two nodes", { skip: NODES_SKIPPED }, () => {
	test("each mail is sent by one node, and both send", () =>
		withNodes(async ({ nodes }, mail) => {
			const addresses = await submit(
				nodes.map((node) => node.caller()),
				300,
			);
			await until(async () => (await waiting(nodes[0])) === 0, "all mails have left");
			const perNode = [await sentBy(nodes[0]), await sentBy(nodes[1])] as const;
			const once = addresses.filter((address) => timesTaken(mail.taken, address) === 1).length;
			console.log(
				`# mails: ${addresses.length} receipts due, ${once} taken once; sent by node ${perNode.join(" and ")}`,
			);
			assert.equal(addresses.length, 300);
			assert.equal(once, 300);
			assert.equal(perNode[0] + perNode[1], mail.taken.length);
			assert.ok(Math.min(...perNode) > 20, "one node did all the work");
			assert.equal(new Set(mail.taken.map(({ messageId }) => messageId)).size, mail.taken.length);
		}));

	test(`a node killed while it sends, ${KILLS} times: nothing lost, one duplicate a kill at most`, () =>
		withNodes(async ({ nodes }, mail) => {
			const due: string[] = [];
			for (let kill = 0; kill < KILLS; kill++) {
				const killed = nodes[kill % 2] as Node;
				const before = mail.taken.length;
				const submitted = submit([killed.caller()], BURST);
				await until(() => mail.taken.length > before + 20 + kill * 7, "mails are leaving");
				killed.program.kill("SIGKILL");
				due.push(...(await submitted));
				await killed.start();
			}
			const waitedMs = await until(async () => (await waiting(nodes[0])) === 0, "the rest has left");
			const found = due.filter((address) => timesTaken(mail.taken, address) > 0).length;
			const duplicates = mail.taken.length - new Set(mail.taken.map(({ messageId }) => messageId)).size;
			console.log(
				`# ledger: ${KILLS} kills, ${due.length} receipts acknowledged, ${found} found, ${due.length - found} lost, ` +
					`${duplicates} duplicates; the last mail ${Math.round(waitedMs / 100) / 10} s after the last kill`,
			);
			assert.ok(due.length > KILLS * 20, `${due.length} acknowledged`);
			assert.equal(found, due.length);
			assert.ok(duplicates <= KILLS, `${duplicates} duplicates`);
		}));
});
