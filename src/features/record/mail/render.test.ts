import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LINKABLE, linksIn, seen } from "../../../../test/harness/mail/linkifier.ts";
import type { Locale } from "../../../domain/locale.ts";
import type { OutboxMail } from "../../../domain/mail.ts";
import type { MailKind, MailMessage } from "../../../domain/mail-message.ts";
import { mailExpiryMs, retryDelayMs } from "./mail-schedule.ts";
import { loadMailTexts } from "./mail-texts.ts";
import { listedSubject, renderMail } from "./render.ts";

const CREATED_MS = Date.UTC(2026, 10, 20, 8);
const OPTIONS = {
	from: { name: "Latchkey", address: "no-reply@mail.example.com" },
	publicUrl: "https://id.example.com",
};

const SAMPLES: { readonly [K in MailKind]: MailMessage<K> } = {
	access_request_receipt: {
		kind: "access_request_receipt",
		applicantName: "Ada",
		projectName: "Engine",
		withdrawUrl: "https://id.example.com/withdraw#w0",
		testUrl: "https://id.example.com/test-client#t0",
	},
	access_request_notice: {
		kind: "access_request_notice",
		applicantName: "Ada",
		email: "ada@example.org",
		company: "",
		projectName: "Engine",
		purpose: "First line\nsecond line",
		requestId: "01980000-0000-7000-8000-000000000000",
		reviewUrl: "https://id.example.com/console/requests/01980000-0000-7000-8000-000000000000",
	},
	access_request_approved: {
		kind: "access_request_approved",
		origin: "https://id.example.com",
		applicantName: "Ada",
		projectName: "Engine",
		reviewNote: "Welcome",
		claimUrl: "https://id.example.com/claim#c0",
		claimExpiresAt: "2026-11-27T08:00:00.000Z",
	},
	access_request_rejected: {
		kind: "access_request_rejected",
		applicantName: "Ada",
		projectName: "Engine",
		reviewNote: "Too little detail",
	},
	support_session_opened: {
		kind: "support_session_opened",
		username: "ada",
		supporterName: "sam",
		reason: "The invoice of November is missing.",
		endsAt: "2026-11-20T08:30:00.000Z",
	},
	person_request_notice: {
		kind: "person_request_notice",
		username: "ada",
		applicationName: "Ledger",
		roles: "closer, reader",
		reason: "To close the books.",
		endsAt: "2026-12-20T08:00:00.000Z",
		reviewUrl: "https://id.example.com/console/requests/01980000-0000-7000-8000-000000000000",
	},
	review_opened: {
		kind: "review_opened",
		reviewName: "Spring",
		items: 12,
		dueAt: "2026-12-20T08:00:00.000Z",
		reviewUrl: "https://id.example.com/console/reviews/01980000-0000-7000-8000-000000000000",
	},
	review_due: {
		kind: "review_due",
		reviewName: "Spring",
		items: 3,
		dueAt: "2026-12-20T08:00:00.000Z",
		reviewUrl: "https://id.example.com/console/reviews/01980000-0000-7000-8000-000000000000",
	},
	review_partner: {
		kind: "review_partner",
		ownerName: "Ada",
		clientName: "Engine",
		dueAt: "2026-12-20T08:00:00.000Z",
		answerUrl: "https://id.example.com/still-needed#a0",
	},
	person_request_approved: {
		kind: "person_request_approved",
		applicationName: "Ledger",
		roles: "",
		endsAt: "2026-12-20T08:00:00.000Z",
		reviewNote: "Until the audit only.",
	},
	directory_last_admin: {
		kind: "directory_last_admin",
		directory: "Corporate directory",
		at: "2026-11-20T08:00:00.000Z",
	},
	person_request_rejected: {
		kind: "person_request_rejected",
		applicationName: "Ledger",
		reviewNote: "Ask your manager first.",
	},
	program_request_notice: {
		kind: "program_request_notice",
		programName: "Example Agent",
		host: "agent-host",
		username: "ada",
		reason: "To list my tasks.",
		reviewUrl: "https://id.example.com/console/requests/01980000-0000-7000-8000-000000000000",
	},
	program_request_approved: {
		kind: "program_request_approved",
		programName: "Example Agent",
		host: "agent-host",
		reviewNote: "For the tasks only.",
	},
	program_request_rejected: {
		kind: "program_request_rejected",
		programName: "Example Agent",
		host: "agent-host",
		reviewNote: "Nobody knows the publisher.",
	},
	program_changed: {
		kind: "program_changed",
		programName: "Example Agent",
		host: "agent-host",
		reviewUrl: "https://id.example.com/console/requests/01980000-0000-7000-8000-000000000000",
		suspendAt: "2026-12-04T08:00:00.000Z",
	},
	domain_record_missing: {
		kind: "domain_record_missing",
		domain: "example.com",
		endsAt: "2026-12-17T08:00:00.000Z",
		consoleUrl: "https://id.example.com/console/providers",
	},
	set_up_finished: {
		kind: "set_up_finished",
		domain: "example.com",
		email: "ada@example.com",
		consoleUrl: "https://id.example.com/console/providers/01980000-0000-7000-8000-000000000000",
	},
	domain_lost: {
		kind: "domain_lost",
		domain: "example.com",
		consoleUrl: "https://id.example.com/console/providers",
	},
	registration_code: { kind: "registration_code", code: "012345", expiresInMinutes: 10 },
	sign_in_code: { kind: "sign_in_code", username: "ada", code: "012345", expiresInMinutes: 10 },
	account_exists: { kind: "account_exists", username: "ada" },
	api_client_expires: {
		kind: "api_client_expires",
		ownerName: "Ada",
		clientName: "Engine",
		expiresAt: "2026-12-20T08:00:00.000Z",
	},
	api_client_dormant: {
		kind: "api_client_dormant",
		ownerName: "Ada",
		clientName: "Engine",
		disableAt: "2026-12-20T08:00:00.000Z",
	},
	access_ends: {
		kind: "access_ends",
		ends: "Books: 2026-12-20 (UTC)",
		accessUrl: "https://id.example.com/account/access",
	},
	request_digest: {
		kind: "request_digest",
		count: 3,
		partnerLinks:
			"Ada Lovelace, Analytical Engine, 2026-12-04 (UTC) https://id.example.com/console/requests/1",
		programLinks: "Example Agent agent-host, 2026-12-04 (UTC) https://id.example.com/console/requests/2",
		personLinks: "ada, Books, closer, 2026-12-04 (UTC) https://id.example.com/console/requests/3",
		queueUrl: "https://id.example.com/console/requests",
	},
	access_ends_notice: {
		kind: "access_ends_notice",
		count: 1,
		ends: "Books, ada: 2026-12-20 (UTC)",
	},
	account_dormant: {
		kind: "account_dormant",
		username: "ada",
		disableAt: "2026-12-20T08:00:00.000Z",
		signInUrl: "https://id.example.com/sign-in",
	},
	api_client_secret_rotated: {
		kind: "api_client_secret_rotated",
		ownerName: "Ada",
		clientName: "Engine",
		at: "2026-11-20T08:00:00.000Z",
		ip: "192.0.2.1",
		previousExpiresAt: "2026-11-21T08:00:00.000Z",
	},
	api_client_key_added: {
		kind: "api_client_key_added",
		clientName: "Engine",
		keyId: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
		at: "2026-11-20T08:00:00.000Z",
		ip: "192.0.2.1",
		heldAt: "2026-11-20T08:00:00.000Z",
		reviewUrl: "https://id.example.com/console/requests/01980000-0000-7000-8000-000000000000",
	},
	data_exported: {
		kind: "data_exported",
		username: "ada",
		at: "2026-11-20T08:00:00.000Z",
		ip: "192.0.2.7",
	},
	password_changed: { kind: "password_changed", username: "ada", at: "2026-11-20T08:00:00.000Z" },
	platform_admin_made: { kind: "platform_admin_made", username: "ada", at: "2026-11-20T08:00:00.000Z" },
	invitation: {
		kind: "invitation",
		username: "ada",
		inviteUrl: "https://id.example.com/invite#i0",
		expiresAt: "2026-11-27T08:00:00.000Z",
	},
	password_reset: {
		kind: "password_reset",
		username: "ada",
		resetUrl: "https://id.example.com/reset#r0",
		expiresInMinutes: 60,
	},
	email_change_code: { kind: "email_change_code", username: "ada", code: "012345", expiresInMinutes: 10 },
	email_change_taken: { kind: "email_change_taken", username: "ada" },
	email_changed: {
		kind: "email_changed",
		username: "ada",
		at: "2026-11-20T08:00:00.000Z",
		restoreUrl: "https://id.example.com/restore-email#e0",
		restoreEndsAt: "2026-11-27T08:00:00.000Z",
	},
	email_restored: {
		kind: "email_restored",
		username: "ada",
		resetUrl: "https://id.example.com/reset#r0",
		expiresInMinutes: 60,
	},
	new_device: {
		kind: "new_device",
		username: "ada",
		device: "Firefox on Linux",
		ip: "192.0.2.1",
		at: "2026-11-20T08:00:00.000Z",
	},
	second_factor_changed: {
		kind: "second_factor_changed",
		username: "ada",
		at: "2026-11-20T08:00:00.000Z",
		change: "passkey_added",
		name: "Laptop",
	},
	second_factor_help: {
		kind: "second_factor_help",
		username: "ada",
		email: "ada@example.com",
		at: "2026-12-04T08:00:00.000Z",
		ip: "203.0.113.7",
		userUrl: "https://id.example.com/console/people/01980000-0000-7000-8000-000000000000",
	},
	recovery_code_used: {
		kind: "recovery_code_used",
		username: "ada",
		at: "2026-11-20T08:00:00.000Z",
		left: 2,
	},
	second_factor_help_asked: {
		kind: "second_factor_help_asked",
		username: "ada",
		at: "2026-12-04T08:00:00.000Z",
		ip: "203.0.113.7",
	},
	second_factor_guessed: { kind: "second_factor_guessed", username: "ada", at: "2026-11-20T08:00:00.000Z" },
	third_party_account_linked: {
		kind: "third_party_account_linked",
		username: "ada",
		at: "2026-11-20T08:00:00.000Z",
		provider: "Corp",
	},
	test: { kind: "test", at: "2026-11-20T08:00:00.000Z" },
};

/** Parameters that are not free text. */
const OWN_PARAMETERS = /^(kind|change|code|ip|origin|requestId|email|reviewNote)$|Url$|^at$|At$/;

/** The distinct links of a mail in subject, text and HTML. */
function linksOf(message: MailMessage, locale: Locale = "en"): string[] {
	const { subject, text, html } = renderMail(outboxMail(message, locale), OPTIONS);
	const shown = html.replace(/<[^>]*>/g, "\n").replaceAll("&amp;", "&");
	return [...new Set([subject, text, shown].flatMap(linksIn))].sort();
}

/** The job puts the title of a link in one line. */
function typedInto(name: string, value: string, typed: string): string {
	return name.endsWith("Links") ? `${typed.replace(/\s+/gu, " ")} ${value.split(" ").at(-1)}` : typed;
}

function outboxMail(message: MailMessage, locale: Locale = "en", toName = "Ada"): OutboxMail {
	return {
		id: "0198-id",
		tenantId: "t",
		to: "ada@example.org",
		toName,
		locale,
		message,
		createdAtMs: CREATED_MS,
	};
}

describe("every kind in every language", () => {
	for (const message of Object.values(SAMPLES)) {
		for (const locale of ["en", "zh-CN"] as const) {
			test(`${message.kind} ${locale}`, () => {
				const mail = renderMail(outboxMail(message, locale), OPTIONS);
				assert.equal(mail.messageId, "<0198-id@mail.example.com>");
				assert.equal(mail.headers["Auto-Submitted"], "auto-generated");
				assert.match(mail.html, new RegExp(`<html lang="${locale}">`));
				assert.equal(/\p{Script=Han}/u.test(mail.subject), locale === "zh-CN");
				assert.doesNotMatch(mail.text + mail.html + mail.subject, /undefined|\[object|Invalid Date/);
				assert.doesNotMatch(mail.html, /<(?:img|link|script|iframe)|url\(|\ssrc=/i);
				for (const [name, value] of Object.entries(message)) {
					if (["kind", "change"].includes(name) || /at$/i.test(name) || value === "") continue;
					// The URL of a link is not beside its title in HTML.
					for (const line of String(value).split(name.endsWith("Links") ? / (?=https:)/ : "\n")) {
						assert.ok(mail.text.includes(line), `text has ${name}`);
						assert.ok(mail.html.includes(line), `html has ${name}`);
					}
				}
			});
		}
	}
	test("rendering is deterministic", () => {
		const mail = outboxMail(SAMPLES.access_request_approved);
		assert.deepEqual(renderMail(mail, OPTIONS), renderMail(mail, OPTIONS));
	});
	test("times include the zone", () => {
		assert.match(
			renderMail(outboxMail(SAMPLES.access_request_approved), OPTIONS).text,
			/27 November 2026 at 08:00 UTC/,
		);
		assert.match(
			renderMail(outboxMail(SAMPLES.access_request_approved, "zh-CN"), OPTIONS).text,
			/2026年11月27日 08:00（UTC）/,
		);
	});
	test("the subject contains the code, which phones show without opening the mail", () => {
		for (const kind of ["registration_code", "sign_in_code"] as const)
			assert.match(renderMail(outboxMail(SAMPLES[kind]), OPTIONS).subject, /012345/);
	});
	test("without a public URL the signature names no host", () => {
		const mail = renderMail(outboxMail(SAMPLES.account_exists), { from: OPTIONS.from });
		assert.match(mail.text, /Sent automatically; please/);
	});
});

describe("user input is harmless", () => {
	const hostile = {
		...SAMPLES.access_request_receipt,
		applicantName: '<script>alert(1)</script> & "x"',
		projectName: "P\r\nBcc: evil@x.y\u0000\u202egnp.exe\ud800",
	};
	const mail = renderMail(outboxMail(hostile, "en", "Eve\r\nBcc: evil@x.y"), OPTIONS);

	test("HTML is escaped", () => {
		assert.match(mail.html, /&lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; &quot;x&quot;/);
		assert.doesNotMatch(mail.html, /<script/);
	});
	test("no line break, control or direction character reaches a header", () => {
		assert.doesNotMatch(mail.subject, /[\p{Cc}\u202e]/u);
		assert.match(seen(mail.subject), /P Bcc: evil@x\.y ?gnp\.exe/);
		assert.equal(mail.to.name, "Eve Bcc: evil@x.y");
	});
	test("lists show the subject without zero-width spaces", () => {
		const message = { ...SAMPLES.access_request_receipt, projectName: "ada.lovelace" };
		const listed = listedSubject(loadMailTexts(), outboxMail(message));
		assert.equal(listed, "We received your access request: ada.lovelace");
	});
	test("lone surrogates are replaced", () => {
		assert.ok((mail.text + mail.html + mail.subject).isWellFormed());
	});
	test("subjects and names are truncated between characters", () => {
		const long = { ...SAMPLES.access_request_receipt, projectName: "😀".repeat(500) };
		const bounded = renderMail(outboxMail(long, "en", "😀".repeat(500)), OPTIONS);
		assert.equal(Array.from(bounded.subject).length, 150);
		assert.equal(Array.from(bounded.to.name).length, 100);
		assert.ok(bounded.subject.isWellFormed());
	});
	test("links in user input are removed, links of the service remain", () => {
		const spam = {
			...SAMPLES.access_request_receipt,
			applicantName: "Win at https://evil.example/x or www.evil.example",
		};
		const { text, html } = renderMail(outboxMail(spam), OPTIONS);
		for (const part of [text, html]) {
			assert.doesNotMatch(part, /https:\/\/evil|www\.evil|evil\.example\//);
			assert.match(part, /https:\/\/id\.example\.com\/withdraw#w0/);
		}
	});
	for (const sample of Object.values(SAMPLES))
		test(`${sample.kind} has no links from user input`, () => {
			for (const linkable of LINKABLE) {
				const typed = Object.entries(sample).map(([name, value]) => [
					name,
					typeof value === "string" && !OWN_PARAMETERS.test(name) ? typedInto(name, value, linkable) : value,
				]);
				for (const locale of ["en", "zh-CN"] as const)
					assert.deepEqual(linksOf(Object.fromEntries(typed), locale), linksOf(sample, locale), linkable);
			}
		});
	test("the text looks unchanged", () => {
		for (const purpose of LINKABLE) {
			const { text, html } = renderMail(
				outboxMail({ ...SAMPLES.access_request_notice, purpose, company: purpose }),
				OPTIONS,
			);
			const visible = purpose.replaceAll(/[\u00ad\ufeff]/g, "");
			assert.ok(seen(text).includes(`Company: ${visible}`), purpose);
			assert.ok(html.includes("\u200b"), purpose);
		}
	});
	test("a reviewer's note keeps its links", () => {
		const note = { ...SAMPLES.access_request_rejected, reviewNote: "Read https://docs.example.com/access" };
		assert.match(renderMail(outboxMail(note), OPTIONS).text, /https:\/\/docs\.example\.com\/access/);
	});
});

describe("a mail that cannot be sent is refused", () => {
	for (const [why, mail] of [
		["two addresses", { ...outboxMail(SAMPLES.account_exists), to: "a@b.c,evil@x.y" }],
		["an address with a name", { ...outboxMail(SAMPLES.account_exists), to: "A <a@b.c>" }],
		["an unknown kind", outboxMail({ kind: "constructor" } as unknown as MailMessage)],
		[
			"a link that is not http(s)",
			outboxMail({ ...SAMPLES.access_request_approved, claimUrl: "javascript:alert(1)" }),
		],
		["an invalid time", outboxMail({ ...SAMPLES.password_changed, at: "yesterday" })],
	] as const) {
		test(why, () => assert.throws(() => renderMail(mail, OPTIONS)));
	}
});

describe("expiry and retries", () => {
	test("mails with a code or link expire, others do not", () => {
		assert.equal(mailExpiryMs(outboxMail(SAMPLES.registration_code)), CREATED_MS + 600_000);
		assert.equal(mailExpiryMs(outboxMail(SAMPLES.access_request_approved)), Date.UTC(2026, 10, 27, 8));
		assert.equal(mailExpiryMs(outboxMail(SAMPLES.access_request_rejected)), undefined);
	});
	test("delays double from one minute to six hours, for about three days", () => {
		const delays: number[] = [];
		for (let attempts = 1; ; attempts++) {
			const delay = retryDelayMs(attempts, () => 0);
			if (delay === undefined) break;
			delays.push(delay / 60_000);
		}
		assert.deepEqual(delays.slice(0, 11), [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
		const days = delays.reduce((sum, minutes) => sum + minutes, 0) / 1440;
		assert.ok(days > 2.5 && days < 3.5, `${days} days`);
	});
	test("a random part of up to a quarter is subtracted", () => {
		assert.equal(
			retryDelayMs(1, () => 0.999_999),
			45_000,
		);
	});
});
