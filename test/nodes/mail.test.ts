// Two nodes and one outbox: one node sends each mail, and a node killed while it sends repeats at most four.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HANDOVERS_MAX } from "../../src/jobs/mail-hold.ts";
import { submission } from "../harness/access/access-requests.ts";
import { type AcceptedMail, startMailServer } from "../harness/mail/mail-server.ts";
import { type Caller, NODES_SKIPPED, type Node, startNodes } from "../harness/processes/nodes.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture } from "../harness/runs/fixture.ts";

const KILLS = atDepth({ quick: 2, all: 2, long: 20 });
const BURST = 60;
const SUBMISSIONS = 120;
const AT_ONCE = 4;
const PATIENCE_MS = 60_000;

interface Submitted {
	/** Of the accepted ones. */
	readonly addresses: string[];
	/** The statuses of the others; undefined without a response. */
	readonly refused: (number | undefined)[];
}

/** Each accepted submission mails a receipt to the applicant. */
async function submit(callers: readonly Caller[], count: number): Promise<Submitted> {
	const addresses: string[] = [];
	const refused: Submitted["refused"] = [];
	const one = async (index: number): Promise<void> => {
		const body = submission();
		const caller = callers[index % callers.length] as Caller;
		const response = await caller.call("POST", "/api/v1/access-requests", { body }).catch(() => undefined);
		if (response?.status === 201) addresses.push(String(body.email));
		else refused.push(response?.status);
	};
	let next = 0;
	const inARow = async (): Promise<void> => {
		while (next < count) await one(next++);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, inARow));
	return { addresses, refused };
}

function timesTaken(taken: readonly AcceptedMail[], address: string): number {
	return taken.filter(({ to }) => to === address).length;
}

async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
	const deadline = performance.now() + PATIENCE_MS;
	while (!(await isTrue())) {
		assert.ok(performance.now() < deadline, `waited 60 s until ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

const sentBy = (node: Node): Promise<number> => node.figure("latchkey_mail_sent_total");
const waiting = (node: Node): Promise<number> => node.figure("latchkey_mail_due");

describe("mail from two nodes", { skip: NODES_SKIPPED }, () => {
	const mail = fixture(() => startMailServer({ slowMs: 5 }), "close");
	const installation = fixture(
		() => startNodes({ LATCHKEY_SMTP_URL: mail.url, LATCHKEY_MAIL_FROM: "latchkey@mail.example" }),
		"remove",
	);

	test("is sent once by either node", async () => {
		const { nodes } = installation;
		const callers = nodes.map((node) => node.caller());
		const addresses: string[] = [];
		while (addresses.length < SUBMISSIONS) {
			const submitted = await submit(callers, SUBMISSIONS - addresses.length);
			addresses.push(...submitted.addresses);
			// Only a lack of capacity may refuse a submission, on a busy machine.
			assert.deepEqual(
				submitted.refused.filter((status) => status !== 503),
				[],
			);
		}
		await until(async () => (await waiting(nodes[0])) === 0, "all mails have left");
		const perNode = [await sentBy(nodes[0]), await sentBy(nodes[1])] as const;
		const once = addresses.filter((address) => timesTaken(mail.taken, address) === 1).length;
		console.log(
			`# mails: ${addresses.length} receipts due, ${once} taken once; sent by node ${perNode.join(" and ")}`,
		);
		assert.equal(once, SUBMISSIONS);
		assert.equal(perNode[0] + perNode[1], mail.taken.length);
		assert.ok(Math.min(...perNode) > 0, "one node did all the work");
		assert.equal(new Set(mail.taken.map(({ messageId }) => messageId)).size, mail.taken.length);
	});

	test("survives kills of the sending node, with at most four duplicates each", async (t) => {
		const { nodes } = installation;
		const due: string[] = [];
		const earlier = mail.taken.length;
		for (let kill = 0; kill < KILLS; kill++) {
			const killed = nodes[kill % 2] as Node;
			const before = mail.taken.length;
			const submitted = submit([killed.caller()], BURST);
			await until(() => mail.taken.length > before + 20 + (kill % 5) * 7, "mails are leaving");
			killed.program.kill("SIGKILL");
			due.push(...(await submitted).addresses);
			await killed.start();
		}
		await until(async () => (await waiting(nodes[0])) === 0, "the rest has left");
		const taken = mail.taken.slice(earlier);
		const found = due.filter((address) => timesTaken(taken, address) > 0).length;
		const duplicates = taken.length - new Set(taken.map(({ messageId }) => messageId)).size;
		t.diagnostic(
			`${KILLS} kills, ${due.length} receipts acknowledged, ${due.length - found} lost, ${duplicates} duplicates`,
		);
		assert.ok(due.length > KILLS * 5, `${due.length} acknowledged`);
		assert.equal(found, due.length);
		assert.ok(duplicates <= KILLS * HANDOVERS_MAX, `${duplicates} duplicates`);
	});
});
