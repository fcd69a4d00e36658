// Mail delivery to a real SMTP server: refusals, silence, outages, and retries.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createSmtpTransport } from "../src/adapters/mail/smtp-transport.ts";
import type { ClaimedMail, MailQueue, OutboxMail } from "../src/domain/mail.ts";
import { MailDeliveryError, type MailTransport } from "../src/domain/mail-transport.ts";
import { MailDelivery, type MailDeliveryOptions } from "../src/jobs/deliver-mail.ts";
import { DAY_MS, MINUTE_MS } from "../src/kernel/clock.ts";

const FROM = { name: "Latchkey", address: "no-reply@mail.example.com" };
const ignore = () => undefined;
const LOG = { isDebug: false, debug: ignore, info: ignore, warn: ignore, error: ignore };
const UNCOUNTED = { count: ignore, countFor: ignore };
const START_MS = Date.UTC(2026, 10, 20, 8);
/** For a time that must not pass in a test, however busy the machine is. */
const NEVER_MS = 3_600_000;

interface Row {
	readonly mail: OutboxMail;
	status: "due" | "sent" | "failed";
	attempts: number;
	dueAtMs: number;
	error: string;
}

/** An in-memory queue; other tests cover the SQL store. */
class MemoryQueue implements MailQueue {
	readonly rows = new Map<string, Row>();
	isUnavailable = false;
	/** Calls while the database was unavailable. */
	refusals = 0;
	failMarks = 0;

	put(to: string, message: OutboxMail["message"] = { kind: "account_exists", username: "ada" }): string {
		const id = `mail-${this.rows.size + 1}`;
		const mail: OutboxMail = { id, tenantId: "t", to, locale: "en", message, createdAtMs: START_MS };
		this.rows.set(id, { mail, status: "due", attempts: 0, dueAtMs: START_MS, error: "" });
		return id;
	}
	row(id: string): Row {
		const row = this.rows.get(id);
		assert.ok(row);
		return row;
	}
	#refuseWhileUnavailable(): void {
		if (!this.isUnavailable) return;
		this.refusals++;
		throw new Error("database is unavailable");
	}
	async claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly ClaimedMail[]> {
		this.#refuseWhileUnavailable();
		const due = [...this.rows.values()].filter((row) => row.status === "due" && row.dueAtMs <= nowMs);
		due.sort((a, b) => a.dueAtMs - b.dueAtMs);
		return due.slice(0, limit).map((row) => {
			row.dueAtMs = nowMs + leaseMs;
			row.attempts += 1;
			return { ...row.mail, attempts: row.attempts, earlierAttempts: 0 };
		});
	}
	async extendLease({ id, attempts }: { id: string; attempts: number }, untilMs: number): Promise<boolean> {
		this.#refuseWhileUnavailable();
		const row = this.row(id);
		if (row.status !== "due" || row.attempts !== attempts) return false;
		row.dueAtMs = untilMs;
		return true;
	}
	async markSent(id: string): Promise<void> {
		this.#mark(id, { status: "sent" });
	}
	async markRetry(id: string, dueAtMs: number, error: string): Promise<void> {
		this.#mark(id, { dueAtMs, error });
	}
	async postpone(id: string, dueAtMs: number, error: string): Promise<void> {
		this.#mark(id, { dueAtMs, error, attempts: this.row(id).attempts - 1 });
	}
	async markFailed(id: string, _nowMs: number, error: string): Promise<void> {
		this.#mark(id, { status: "failed", error });
	}
	async nextDueAtMs(): Promise<number | undefined> {
		const due = [...this.rows.values()].filter((row) => row.status === "due").map((row) => row.dueAtMs);
		return due.length === 0 ? undefined : Math.min(...due);
	}
	#mark(id: string, change: Partial<Row>): void {
		if (this.failMarks > 0) {
			this.failMarks -= 1;
			throw new Error("database is unavailable");
		}
		Object.assign(this.row(id), change);
	}
}

interface Post extends AsyncDisposable {
	readonly queue: MemoryQueue;
	readonly delivery: MailDelivery;
	readonly now: { ms: number };
	readonly port: number;
	/** Recipient and Message-ID of each accepted mail. */
	readonly received: { to: string; messageId: string }[];
	closeServer(): Promise<void>;
	openServer(): Promise<void>;
}

const silent = (to: string): boolean => to.startsWith("hang");

function respondToRecipient(
	address: { address: string },
	_session: unknown,
	done: (error?: Error | null) => void,
): void {
	if (silent(address.address)) return;
	const code = /^refuse(\d+)/.exec(address.address)?.[1];
	done(code === undefined ? null : Object.assign(new Error("refused"), { responseCode: Number(code) }));
}

async function openPost(options: Partial<MailDeliveryOptions> = {}): Promise<Post> {
	const received: Post["received"] = [];
	let port = 0;
	let server: SMTPServer | undefined;
	const serverOptions: SMTPServerOptions = {
		logger: false,
		authOptional: true,
		hideSTARTTLS: true,
		closeTimeout: 10,
		onRcptTo: respondToRecipient,
		onData(stream, session, done) {
			let raw = "";
			stream.on("data", (chunk: Buffer) => {
				raw += chunk.toString();
			});
			stream.on("end", () => {
				const messageId = /^Message-ID: (\S+)/im.exec(raw)?.[1] ?? "";
				for (const { address } of session.envelope.rcptTo) received.push({ to: address, messageId });
				done();
			});
		},
	};
	const closeServer = () =>
		new Promise<void>((resolve) => {
			if (server === undefined) return resolve();
			server.close(() => resolve());
			server = undefined;
		});
	const openServer = async () => {
		const opened = new SMTPServer(serverOptions);
		opened.on("error", () => undefined);
		await new Promise<void>((resolve) => opened.listen(port, "127.0.0.1", resolve));
		const address = opened.server.address();
		assert.ok(address !== null && typeof address === "object");
		port = address.port;
		server = opened;
	};
	await openServer();
	const queue = new MemoryQueue();
	const now = { ms: START_MS };
	const transport = createSmtpTransport({
		url: `smtp://127.0.0.1:${port}`,
		clientName: "auth.example.com",
		silenceTimeoutMs: 2_000,
	});
	const delivery = new MailDelivery({
		queue,
		transport,
		clock: () => now.ms,
		log: LOG,
		statistics: UNCOUNTED,
		from: FROM,
		slowAfterMs: 50,
		transportRetryMs: { first: 20, longest: 40 },
		stopGraceMs: 100,
		random: () => 0,
		...options,
	});
	return {
		queue,
		delivery,
		now,
		received,
		get port() {
			return port;
		},
		closeServer,
		openServer,
		async [Symbol.asyncDispose]() {
			await delivery.stop();
			transport.close();
			await closeServer();
		},
	};
}

/** Waits for the condition, for up to a minute. */
async function until(isMet: () => boolean): Promise<void> {
	const deadlineMs = performance.now() + 60_000;
	while (!isMet()) {
		assert.ok(performance.now() < deadlineMs, `not met within a minute: ${isMet}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

describe("mail delivery over SMTP", () => {
	test("sends mail committed before the start and after a wake, with a fixed Message-ID", async () => {
		await using post = await openPost({ pollMs: 60_000 });
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.received.length === 1);
		post.queue.put("bob@example.org");
		post.delivery.wake();
		await until(() => post.delivery.stats.sent === 2);
		assert.deepEqual(post.received, [
			{ to: "ada@example.org", messageId: "<mail-1@mail.example.com>" },
			{ to: "bob@example.org", messageId: "<mail-2@mail.example.com>" },
		]);
		assert.deepEqual(
			[...post.queue.rows.values()].map((row) => row.status),
			["sent", "sent"],
		);
	});

	test("finds unannounced mail by polling", async () => {
		await using post = await openPost({ pollMs: 20 });
		post.delivery.start();
		await until(() => post.delivery.stats.underWay === 0);
		post.queue.put("ada@example.org");
		await until(() => post.received.length === 1);
	});

	test("sends fifty mails once each, four at a time", async () => {
		await using post = await openPost();
		for (let i = 0; i < 50; i++) post.queue.put(`user${i}@example.org`);
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 50);
		assert.equal(new Set(post.received.map(({ to }) => to)).size, 50);
		assert.equal(post.received.length, 50);
	});

	test("a permanent refusal fails immediately and does not stop other mails", async () => {
		await using post = await openPost();
		const bad = post.queue.put("refuse550@example.org");
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.delivery.stats.failed === 1 && post.delivery.stats.sent === 1);
		assert.equal(post.queue.row(bad).status, "failed");
		assert.match(post.queue.row(bad).error, /550/);
	});

	test("a temporary refusal is retried at growing intervals, and finally fails", async () => {
		await using post = await openPost();
		const bad = post.queue.put("refuse450@example.org");
		post.delivery.start();
		await until(() => post.delivery.stats.retried === 1);
		assert.equal(post.queue.row(bad).dueAtMs, START_MS + MINUTE_MS);
		post.now.ms += MINUTE_MS;
		post.delivery.wake();
		await until(() => post.delivery.stats.retried === 2);
		assert.equal(post.queue.row(bad).dueAtMs, post.now.ms + 2 * MINUTE_MS);
		while (post.queue.row(bad).status === "due") {
			const { retried, failed } = post.delivery.stats;
			post.now.ms = post.queue.row(bad).dueAtMs;
			post.delivery.wake();
			await until(() => post.delivery.stats.retried + post.delivery.stats.failed > retried + failed);
		}
		assert.equal(post.queue.row(bad).status, "failed");
		assert.ok(post.now.ms - START_MS > 2.5 * DAY_MS);
	});

	test("more hanging recipients than parallel deliveries do not block the others", async () => {
		await using post = await openPost();
		for (let i = 0; i < 8; i++) post.queue.put(`hang${i}@example.org`);
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.received.length === 1);
		assert.equal(post.delivery.stats.retried, 0, "sent before the first hanging one timed out");
		await until(() => post.delivery.stats.retried === 8);
		assert.equal(post.delivery.stats.isTransportAway, false);
		assert.equal(post.queue.row("mail-1").attempts, 1);
		assert.equal(post.queue.row("mail-1").dueAtMs, START_MS + MINUTE_MS);
	});

	test("an unavailable server costs no attempt, and mails are sent when it returns", async () => {
		await using post = await openPost();
		await post.closeServer();
		for (let i = 0; i < 10; i++) post.queue.put(`user${i}@example.org`);
		post.delivery.start();
		await until(() => post.delivery.stats.isTransportAway);
		await until(() => [...post.queue.rows.values()].every((row) => row.attempts === 0));
		await post.openServer();
		await until(() => post.delivery.stats.sent === 10);
		assert.equal(post.received.length, 10);
		assert.equal(post.delivery.stats.retried, 0);
		assert.equal(post.delivery.stats.isTransportAway, false);
	});

	test("survives a server that disconnects between two mails", async () => {
		await using post = await openPost();
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 1);
		await post.closeServer();
		post.queue.put("bob@example.org");
		post.delivery.wake();
		await until(() => post.delivery.stats.isTransportAway);
		await post.openServer();
		await until(() => post.delivery.stats.sent === 2);
	});

	test("four mails sent but not marked are marked when the database returns, before any other is sent", async () => {
		await using post = await openPost({ slowAfterMs: NEVER_MS, groupMs: NEVER_MS });
		const { queue } = post;
		const ids = Array.from({ length: 6 }, (_, index) => queue.put(`user${index}@example.org`));
		queue.failMarks = 4;
		const receivedAtMark: number[] = [];
		const markSent = queue.markSent.bind(queue);
		queue.markSent = (id) => {
			receivedAtMark.push(post.received.length);
			return markSent(id);
		};
		post.delivery.start();
		await until(() => queue.failMarks === 0);
		assert.deepEqual(new Set(ids.map((id) => queue.row(id).status)), new Set(["due"]));
		assert.equal(post.delivery.stats.underWay, 6);
		await until(() => post.delivery.stats.sent === 6);
		assert.deepEqual(receivedAtMark.slice(0, 8), Array(8).fill(4));
		assert.equal(post.received.length, 6);
	});

	test("records four outcomes and claims the next mails in one turn of the event loop", async () => {
		await using post = await openPost({ parallel: 4, slowAfterMs: NEVER_MS, groupMs: NEVER_MS });
		const { queue } = post;
		const turns: string[][] = [];
		const note = (call: string): void => {
			if (turns.at(-1)?.at(-1) === "end" || turns.length === 0) {
				turns.push([]);
				setImmediate(() => turns.at(-1)?.push("end"));
			}
			turns.at(-1)?.push(call);
		};
		const claimDue = queue.claimDue.bind(queue);
		const markSent = queue.markSent.bind(queue);
		queue.claimDue = (nowMs, limit, leaseMs) => {
			note(`claim ${limit}`);
			return claimDue(nowMs, limit, leaseMs);
		};
		queue.markSent = (id) => {
			note("sent");
			return markSent(id);
		};
		for (let index = 0; index < 8; index++) queue.put(`user${index}@example.org`);
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 8);
		const group = ["sent", "sent", "sent", "sent", "claim 4"];
		assert.equal(
			turns.filter((calls) => calls.join().startsWith(group.join())).length,
			2,
			JSON.stringify(turns),
		);
	});

	test("the next mail is claimed while the previous one is marked, so that one commit covers both", async () => {
		await using post = await openPost({ parallel: 1 });
		const { queue } = post;
		const claimed = Promise.withResolvers<void>();
		const claimDue = queue.claimDue.bind(queue);
		const markSent = queue.markSent.bind(queue);
		let isMarking = false;
		queue.claimDue = (...parameters) => {
			if (isMarking) claimed.resolve();
			return claimDue(...parameters);
		};
		queue.markSent = async (id) => {
			isMarking = true;
			await claimed.promise;
			await markSent(id);
		};
		queue.put("ada@example.org");
		queue.put("bob@example.org");
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 2);
		assert.deepEqual(
			post.received.map(({ to }) => to),
			["ada@example.org", "bob@example.org"],
		);
	});

	test("a mail sent but never marked is sent again with the same Message-ID", async () => {
		await using post = await openPost();
		const id = post.queue.put("ada@example.org");
		post.queue.failMarks = Number.POSITIVE_INFINITY;
		post.delivery.start();
		await until(() => post.received.length === 1);
		await post.delivery.stop();
		post.queue.failMarks = 0;
		post.now.ms += MINUTE_MS;
		const { port, queue, now } = post;
		await using again = await openPost({
			queue,
			clock: () => now.ms,
			transport: createSmtpTransport({ url: `smtp://127.0.0.1:${port}`, clientName: "auth.example.com" }),
		});
		again.delivery.start();
		await until(() => post.queue.row(id).status === "sent");
		assert.equal(post.received.length, 2);
		assert.equal(post.received[0]?.messageId, post.received[1]?.messageId);
	});

	test("a paused process leaves a mail to the process that claimed it", async () => {
		await using post = await openPost();
		const id = post.queue.put("ada@example.org");
		const { claimDue } = post.queue;
		post.queue.claimDue = async (...parameters) => {
			const claimed = await claimDue.apply(post.queue, parameters);
			// Simulates a pause of a minute after the claim, during which another process claims the mail.
			for (const mail of claimed) {
				post.now.ms += MINUTE_MS;
				const row = post.queue.row(mail.id);
				row.attempts += 1;
				row.dueAtMs = post.now.ms + MINUTE_MS;
			}
			return claimed;
		};
		post.delivery.start();
		await until(() => post.queue.row(id).attempts === 2 && post.delivery.stats.underWay === 0);
		assert.deepEqual([post.received, post.delivery.stats.sent], [[], 0]);
	});

	test("an address that is a list reaches no recipient", async () => {
		await using post = await openPost();
		const bad = post.queue.put("a@b.c,evil@x.y");
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 1 && post.delivery.stats.failed === 1);
		assert.equal(post.queue.row(bad).status, "failed");
		assert.deepEqual(
			post.received.map(({ to }) => to),
			["ada@example.org"],
		);
	});

	test("mail that cannot be rendered, and mail with an expired code, fails and blocks nothing", async () => {
		await using post = await openPost();
		const broken = post.queue.put("x@example.org", { kind: "password_changed", username: "x", at: "never" });
		const dead = post.queue.put("y@example.org", {
			kind: "registration_code",
			code: "1",
			expiresInMinutes: 10,
		});
		post.queue.put("ada@example.org");
		post.now.ms += 10 * MINUTE_MS;
		post.delivery.start();
		await until(() => post.delivery.stats.sent === 1 && post.delivery.stats.failed === 2);
		assert.match(post.queue.row(broken).error, /cannot be rendered/);
		assert.match(post.queue.row(dead).error, /expired/);
	});

	test("retries reads until the database is available", async () => {
		await using post = await openPost({ pollMs: 10 });
		post.queue.isUnavailable = true;
		post.queue.put("ada@example.org");
		post.delivery.start();
		await until(() => post.queue.refusals >= 2);
		post.queue.isUnavailable = false;
		await until(() => post.delivery.stats.sent === 1);
	});
});

describe("stop", () => {
	const options = {
		clock: () => START_MS,
		log: LOG,
		statistics: UNCOUNTED,
		from: FROM,
		stopGraceMs: 30,
		pollMs: 5,
	};

	test("waits for a pending delivery", async () => {
		const queue = new MemoryQueue();
		const id = queue.put("ada@example.org");
		const sending = Promise.withResolvers<string>();
		const transport: MailTransport = {
			send: () => sending.promise,
			verify: async () => undefined,
			close: ignore,
		};
		const delivery = new MailDelivery({ ...options, stopGraceMs: 20_000, queue, transport });
		delivery.start();
		await until(() => delivery.stats.underWay === 1);
		const stopped = delivery.stop();
		sending.resolve("accepted");
		await stopped;
		assert.equal(queue.row(id).status, "sent");
	});

	test("aborts hanging deliveries, leaves them due, and starts no others", async () => {
		const queue = new MemoryQueue();
		const id = queue.put("ada@example.org");
		const transport: MailTransport = {
			send: (_mail, signal) =>
				new Promise((_resolve, reject) => {
					signal?.addEventListener("abort", () => reject(new MailDeliveryError("unclear", false, "aborted")));
				}),
			verify: async () => undefined,
			close: ignore,
		};
		const delivery = new MailDelivery({ ...options, queue, transport });
		delivery.start();
		await until(() => delivery.stats.underWay === 1);
		// Ends only because the stop aborts the delivery.
		await delivery.stop();
		const row = queue.row(id);
		assert.deepEqual([row.status, row.attempts, row.dueAtMs], ["due", 0, START_MS]);
		const other = queue.put("bob@example.org");
		delivery.wake();
		assert.equal(delivery.stats.underWay, 0);
		assert.equal(queue.row(other).attempts, 0);
	});
});
