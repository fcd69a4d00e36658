import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "./load.ts";
import { mailClientName } from "./public-host.ts";

test("the name in EHLO is the public host if it is a domain, else the domain of the sender", () => {
	const name = (publicUrl: string, mailFrom = "Example <no-reply@mail.example.org>") =>
		mailClientName(loadConfig({ LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_MAIL_FROM: mailFrom }));
	assert.equal(name("https://auth.example.com:8443"), "auth.example.com");
	for (const url of [
		"https://localhost:8443",
		"https://auth",
		"https://auth.localhost",
		"https://192.0.2.10",
		"https://[2001:db8::1]",
	])
		assert.equal(name(url), "mail.example.org", url);
	assert.equal(name("https://localhost:8443", "a@localhost"), "localhost");
});
