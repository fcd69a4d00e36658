import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { MailDeliveryError, type MailTransport, type RenderedMail } from "../../domain/mail-transport.ts";
import { createEmlTransport } from "./eml-transport.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

const MAIL: RenderedMail = {
	id: "01980000-0000-7000-8000-000000000001",
	messageId: "<01980000-0000-7000-8000-000000000001@mail.example.com>",
	createdAtMs: Date.UTC(2026, 10, 20, 8, 0, 0, 5),
	locale: "zh-CN",
	from: { name: "Latchkey", address: "no-reply@mail.example.com" },
	to: { name: "王, 小明", address: "wang@example.org" },
	subject: "您的接入申请已通过：引擎",
	text: "正文\n.\nhttps://id.example.com/claim#abc_DEF-123\n",
	html: "<p>正文</p>",
	headers: { "Auto-Submitted": "auto-generated", "Content-Language": "zh-CN" },
};

async function assertIsMail(bytes: Buffer | string): Promise<void> {
	const parsed = await PostalMime.parse(bytes);
	assert.equal(parsed.messageId, MAIL.messageId);
	assert.equal(parsed.subject, MAIL.subject);
	assert.deepEqual(parsed.from, MAIL.from);
	assert.deepEqual(parsed.to, [MAIL.to]);
	assert.equal(parsed.date, "2026-11-20T08:00:00.000Z");
	assert.equal(parsed.text?.replaceAll("\r\n", "\n").trimEnd(), MAIL.text.trimEnd());
	assert.equal(parsed.html?.trim(), MAIL.html);
	const header = (key: string) => parsed.headers.find((entry) => entry.key === key)?.value;
	assert.equal(header("auto-submitted"), "auto-generated");
	assert.equal(header("content-language"), "zh-CN");
}

interface Received {
	readonly from: string;
	readonly to: readonly string[];
	readonly raw: string;
	readonly isSecure: boolean;
}

interface TestServer extends AsyncDisposable {
	readonly url: string;
	readonly received: Received[];
}

function refusal(responseCode: number): Error {
	return Object.assign(new Error("refused"), { responseCode });
}

async function serveSmtp(options: SMTPServerOptions = {}): Promise<TestServer> {
	const received: Received[] = [];
	const server = new SMTPServer({
		logger: false,
		authOptional: true,
		hideSTARTTLS: true,
		closeTimeout: 10,
		onData(stream, session, done) {
			const chunks: Buffer[] = [];
			stream.on("data", (chunk: Buffer) => chunks.push(chunk));
			stream.on("end", () => {
				const { mailFrom, rcptTo } = session.envelope;
				received.push({
					from: mailFrom === false ? "" : mailFrom.address,
					to: rcptTo.map((recipient) => recipient.address),
					raw: Buffer.concat(chunks).toString(),
					isSecure: session.secure,
				});
				done();
			});
		},
		...options,
	});
	server.on("error", () => undefined);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `smtp://127.0.0.1:${portOf(server.server)}`,
		received,
		[Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

async function serveLine(onConnection: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("error", () => undefined);
		onConnection(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `smtp://127.0.0.1:${portOf(server)}`,
		[Symbol.asyncDispose]: () =>
			new Promise((resolve) => {
				for (const socket of sockets) socket.destroy();
				server.close(() => resolve());
			}),
	};
}

function portOf(server: Server): number {
	const address = server.address();
	assert.ok(address !== null && typeof address === "object");
	return address.port;
}

function smtp(url: string): MailTransport & Disposable {
	const transport = createSmtpTransport({ url, clientName: "auth.example.com", silenceTimeoutMs: 2_000 });
	return { ...transport, [Symbol.dispose]: () => transport.close() };
}

async function failureOf(work: Promise<unknown>): Promise<{ fault: string; permanent: boolean }> {
	try {
		await work;
	} catch (error) {
		assert.ok(error instanceof MailDeliveryError, String(error));
		return { fault: error.fault, permanent: error.permanent };
	}
	assert.fail("was delivered");
}

describe("SMTP", () => {
	test("a mail arrives unchanged over reused connections", async () => {
		await using server = await serveSmtp();
		using transport = smtp(server.url);
		await transport.verify();
		await transport.send(MAIL);
		await transport.send(MAIL);
		assert.equal(server.received.length, 2);
		assert.deepEqual(server.received[0]?.to, ["wang@example.org"]);
		assert.equal(server.received[0]?.from, "no-reply@mail.example.com");
		await assertIsMail(server.received[0]?.raw ?? "");
	});

	test("EHLO has the given name, and that of the URL before it", async () => {
		const names: string[] = [];
		await using server = await serveSmtp({
			onMailFrom(_address, { hostNameAppearsAs }, done) {
				names.push(String(hostNameAppearsAs));
				done();
			},
		});
		for (const url of [server.url, `${server.url}?name=mail.example.org&tls=off`]) {
			using transport = smtp(url);
			await transport.send(MAIL);
		}
		assert.deepEqual(names, ["auth.example.com", "mail.example.org"]);
	});

	test("STARTTLS is used when offered", async () => {
		await using server = await serveSmtp({ hideSTARTTLS: false });
		using transport = smtp(server.url);
		await transport.send(MAIL);
		assert.equal(server.received[0]?.isSecure, true);
	});

	test("user and password are percent-decoded", async () => {
		let login = "";
		await using server = await serveSmtp({
			authOptional: false,
			allowInsecureAuth: true,
			onAuth(auth, _session, done) {
				login = `${auth.username} ${auth.password}`;
				done(null, { user: "x" });
			},
		});
		using transport = smtp(server.url.replace("//", "//mail%40x.y:p%3Aw%2Fd@"));
		await transport.send(MAIL);
		assert.equal(login, "mail@x.y p:w/d");
	});

	const responses: [string, SMTPServerOptions, { fault: string; permanent: boolean }][] = [
		[
			"550 to the recipient",
			{ onRcptTo: (_a, _s, done) => done(refusal(550)) },
			{ fault: "mail", permanent: true },
		],
		[
			"450 to the recipient",
			{ onRcptTo: (_a, _s, done) => done(refusal(450)) },
			{ fault: "mail", permanent: false },
		],
		[
			"550 to the sender",
			{ onMailFrom: (_a, _s, done) => done(refusal(550)) },
			{ fault: "mail", permanent: false },
		],
		[
			"421 to the recipient",
			{ onRcptTo: (_a, _s, done) => done(refusal(421)) },
			{ fault: "unclear", permanent: false },
		],
		["silence to the recipient", { onRcptTo: () => undefined }, { fault: "unclear", permanent: false }],
		[
			"421 as a greeting",
			{ onConnect: (_s, done) => done(refusal(421)) },
			{ fault: "transport", permanent: false },
		],
	];
	for (const [response, options, failure] of responses) {
		test(`${response} is ${failure.permanent ? "permanent" : "temporary"}, fault: ${failure.fault}`, async () => {
			await using server = await serveSmtp(options);
			using transport = smtp(server.url);
			assert.deepEqual(await failureOf(transport.send(MAIL)), failure);
		});
	}

	test("554 after the content is permanent", async () => {
		await using server = await serveSmtp({
			onData(stream, _session, done) {
				stream.resume();
				stream.on("end", () => done(refusal(554)));
			},
		});
		using transport = smtp(server.url);
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "mail", permanent: true });
	});

	test("a wrong password is a transport fault", async () => {
		await using server = await serveSmtp({
			allowInsecureAuth: true,
			onAuth: (_a, _s, done) => done(refusal(535)),
		});
		using transport = smtp(server.url.replace("//", "//u:p@"));
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
		assert.deepEqual(await failureOf(transport.verify()), { fault: "transport", permanent: false });
	});

	test("a server that never greets or is unreachable is a transport fault", async () => {
		await using line = await serveLine(() => undefined);
		using transport = smtp(line.url);
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
		await line[Symbol.asyncDispose]();
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
		assert.deepEqual(await failureOf(transport.verify()), { fault: "transport", permanent: false });
	});

	test("a broken connection is unclear", async () => {
		await using line = await serveLine((socket) => {
			socket.write("220 hello\r\n");
			socket.on("data", (chunk) => {
				if (/^RCPT/m.test(chunk.toString())) socket.destroy();
				else socket.write("250 ok\r\n");
			});
		});
		using transport = smtp(line.url);
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "unclear", permanent: false });
	});

	test("an abort ends a delivery at once, and the next one works", async () => {
		let hang = true;
		await using server = await serveSmtp({ onRcptTo: (_a, _s, done) => (hang ? undefined : done()) });
		using transport = smtp(server.url);
		const sending = transport.send(MAIL, AbortSignal.timeout(200));
		assert.deepEqual(await failureOf(sending), { fault: "unclear", permanent: false });
		hang = false;
		await transport.send(MAIL);
		assert.equal(server.received.length, 1);
	});

	test("a list of addresses is refused before anything is sent", async () => {
		await using server = await serveSmtp();
		using transport = smtp(server.url);
		for (const address of ["a@b.c,evil@x.y", "a@b.c;evil@x.y", "A <a@b.c>", "a@b.c\r\nRCPT TO:<evil@x.y>"]) {
			const mail = { ...MAIL, to: { name: "", address } };
			assert.deepEqual(await failureOf(transport.send(mail)), { fault: "mail", permanent: true });
		}
		assert.equal(server.received.length, 0);
	});

	test("a name that looks like recipients stays a display name", async () => {
		await using server = await serveSmtp();
		using transport = smtp(server.url);
		await transport.send({ ...MAIL, to: { name: "evil@x.y>, <evil2@x.y", address: "wang@example.org" } });
		assert.deepEqual(server.received[0]?.to, ["wang@example.org"]);
		const parsed = await PostalMime.parse(server.received[0]?.raw ?? "");
		assert.deepEqual(
			parsed.to?.map((mailbox) => mailbox.address),
			["wang@example.org"],
		);
	});

	test("a password is not sent without TLS, nor to a server with an untrusted certificate", async () => {
		let logins = 0;
		const options: SMTPServerOptions = {
			allowInsecureAuth: true,
			onAuth(_auth, _session, done) {
				logins += 1;
				done(null, { user: "x" });
			},
		};
		for (const offer of [{ disabledCommands: ["STARTTLS"] }, { hideSTARTTLS: false }]) {
			await using server = await serveSmtp({ ...options, ...offer });
			// Reaches this machine, but is not a loopback address.
			using transport = smtp(server.url.replace("127.0.0.1", "u:p@0.0.0.0"));
			assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
		}
		assert.equal(logins, 0);
	});

	describe("a remote server without STARTTLS, or with STARTTLS stripped", () => {
		/** Reaches this machine, but is not a loopback address. */
		const elsewhere = (url: string): string => url.replace("127.0.0.1", "0.0.0.0");
		const stripped: SMTPServerOptions = { disabledCommands: ["STARTTLS"] };

		test("receives no mail, and the error names the setting and the options", async () => {
			await using server = await serveSmtp(stripped);
			using transport = smtp(elsewhere(server.url));
			assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
			for (const work of [() => transport.send(MAIL), () => transport.verify()])
				await assert.rejects(
					work,
					/ETLS · STARTTLS · .* · mail is not sent in clear text: use smtps:\/\/, or \?tls=off .* LATCHKEY_SMTP_URL/,
				);
			assert.equal(server.received.length, 0);
		});

		test("receives mail in clear text if the URL says so", async () => {
			await using server = await serveSmtp(stripped);
			for (const tls of ["off", "opportunistic"]) {
				using transport = smtp(`${elsewhere(server.url)}?tls=${tls}`);
				await transport.send(MAIL);
			}
			assert.deepEqual(
				server.received.map(({ isSecure }) => isSecure),
				[false, false],
			);
		});

		test("opportunistic uses STARTTLS when offered, off does not", async () => {
			await using server = await serveSmtp({ hideSTARTTLS: false });
			using opportunistic = smtp(`${elsewhere(server.url)}?tls=opportunistic`);
			// Its certificate is untrusted, and there is no fallback to clear text.
			assert.deepEqual(await failureOf(opportunistic.send(MAIL)), { fault: "transport", permanent: false });
			using off = smtp(`${elsewhere(server.url)}?tls=off`);
			await off.send(MAIL);
			assert.deepEqual(
				server.received.map(({ isSecure }) => isSecure),
				[false],
			);
		});

		test("on this machine receives mail in clear text", async () => {
			await using server = await serveSmtp(stripped);
			using transport = smtp(server.url);
			await transport.send(MAIL);
			assert.equal(server.received.length, 1);
		});
	});

	test("an invalid URL is refused when the transport is created", () => {
		for (const url of [
			"http://x",
			"smtp:",
			"nonsense",
			"smtp://",
			"smtp:///x",
			"smtp://x?tls=no",
			"smtp://u:p@x?tls=off",
			"smtps://x?tls=off",
		]) {
			assert.throws(() => createSmtpTransport({ url, clientName: "auth.example.com" }), /SMTP URL/);
		}
	});
});

describe(".eml files", () => {
	let folder = "";
	before(async () => {
		folder = join(await mkdtemp(join(tmpdir(), "latchkey-mail-")), "mail");
	});
	after(() => rm(join(folder, ".."), { recursive: true }));

	test("a mail sent twice is one private file, named by time and id", async () => {
		await mkdir(folder, { mode: 0o755 });
		const transport = createEmlTransport(folder);
		await transport.verify();
		await transport.send(MAIL);
		await transport.send(MAIL);
		assert.deepEqual(await readdir(folder), ["20261120T080000005Z-01980000-0000-7000-8000-000000000001.eml"]);
		assert.equal((await stat(folder)).mode & 0o777, 0o700);
		const [name = ""] = await readdir(folder);
		assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
		const bytes = await readFile(join(folder, name));
		await assertIsMail(bytes);
		assert.doesNotMatch(bytes.toString(), /[^\r]\n/);
	});

	test("the file contains links unbroken", async () => {
		const link = `https://identity.a-long-name.example.com:8443/claim#${"aB3_-".repeat(9)}`;
		const text = `“Größe”\n${link}\n`;
		const html = `<p>“Größe”</p>\n<p><a href="${link}">${link}</a></p>`;
		const inFile = async (id: string, mail: Partial<RenderedMail>): Promise<string> => {
			await createEmlTransport(folder).send({ ...MAIL, ...mail, id });
			return readFile(join(folder, `20261120T080000005Z-${id}.eml`), "utf8");
		};
		const short = await inFile("short", { text, html });
		assert.equal(short.split(link).length, 4);
		const parsed = await PostalMime.parse(short);
		assert.deepEqual([parsed.text?.trim(), parsed.html?.trim()], [text.trim(), html]);

		const long = `${"有".repeat(1_500)} ${"word ".repeat(600)}`;
		const raw = await inFile("long", { text: `${long}\n${text}`, html: `<p>${long}</p>${html}` });
		assert.ok(raw.includes(`\r\n${link}\r\n`));
		for (const line of raw.split("\r\n")) assert.ok(Buffer.byteLength(line) <= 998, line);
		const whole = await PostalMime.parse(raw);
		assert.equal(whole.text?.replaceAll(/\s/g, ""), `${long}${text}`.replaceAll(/\s/g, ""));
		assert.equal(whole.html?.trim(), `<p>${long}</p>${html}`);
	});

	test("an id cannot point outside the directory", async () => {
		await createEmlTransport(folder).send({ ...MAIL, id: "../../x" });
		assert.ok((await readdir(folder)).includes("20261120T080000005Z-______x.eml"));
	});

	test("a folder that cannot be written is a transport fault", async () => {
		const transport = createEmlTransport("/dev/null/mail");
		assert.deepEqual(await failureOf(transport.verify()), { fault: "transport", permanent: false });
		assert.deepEqual(await failureOf(transport.send(MAIL)), { fault: "transport", permanent: false });
	});

	test("a list of addresses is refused", async () => {
		const mail = { ...MAIL, to: { name: "", address: "a@b.c,evil@x.y" } };
		assert.deepEqual(await failureOf(createEmlTransport(folder).send(mail)), {
			fault: "mail",
			permanent: true,
		});
	});
});
