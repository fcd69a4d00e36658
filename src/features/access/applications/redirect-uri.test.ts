import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../kernel/error.ts";
import { parseRedirectUris } from "./redirect-uri.ts";

describe("parseRedirectUris", () => {
	it("accepts https on any host and http on loopback, unchanged", () => {
		const uris = [
			"https://app.example.com/callback",
			"https://app.example.com",
			"https://app.example.com:8443/a/../b?x=1&y=%2F",
			"https://App.Example.com/Case",
			"https://app.example.com/@mention?mail=a@b",
			"https://203.0.113.7/cb",
			"https://[2001:db8::1]/cb",
			"http://localhost/cb",
			"http://localhost:3000/cb",
			"http://127.0.0.1:49152/",
			"http://[::1]:3000/cb",
			"com.example.app:/oauth2redirect",
			"com.example.app://oauth/callback?x=1",
			"com.example.app:/",
			"io.example-2.app+x:/cb",
		];
		assert.deepEqual(parseRedirectUris(uris), uris);
		assert.deepEqual(parseRedirectUris([]), []);
	});

	for (const [uri, why] of [
		["", /must be an absolute https URL/],
		["/callback", /must be an absolute https URL/],
		["//app.example.com/cb", /must be an absolute https URL/],
		["https:app.example.com", /must be an absolute https URL/],
		["https://", /must be an absolute https URL/],
		["javascript:alert(1)", /private-use scheme with a period/],
		["ftp://app.example.com/", /private-use scheme with a period/],
		["myapp:/callback", /private-use scheme with a period/],
		["myapp://callback", /private-use scheme with a period/],
		["data:text/html,x", /private-use scheme with a period/],
		["file:///etc/passwd", /private-use scheme with a period/],
		["blob:https://app.example.com/x", /private-use scheme with a period/],
		["about:blank", /private-use scheme with a period/],
		["com.example.app:callback", /private-use scheme with a period/],
		["com.example.app://", /private-use scheme with a period/],
		["com.example.app:///cb", /private-use scheme with a period/],
		["com.example.app://me@host/cb", /private-use scheme with a period/],
		["com.example.app:/cb#x", /private-use scheme with a period/],
		["com.example.app:/a b", /private-use scheme with a period/],
		["com.example.app:/cb\\x", /private-use scheme with a period/],
		["COM.example.app:/cb", /private-use scheme with a period/],
		["com.example.my_app:/cb", /must be an absolute https URL/],
		["HTTPS://app.example.com/", /must be an absolute https URL/],
		["https://app.example.com/a b", /must be an absolute https URL/],
		["https://app.example.com/a\tb", /must be an absolute https URL/],
		["https://app.example.com/a\nb", /must be an absolute https URL/],
		["https://app.example.com\\@evil.example/", /must be an absolute https URL/],
		["https://аpp.example.com/", /must be an absolute https URL/],
		["https://app.example.com:99999/", /must be an absolute https URL/],
		["https://app.example.com/cb#", /must not have a fragment/],
		["https://app.example.com/cb#part", /must not have a fragment/],
		["https://me@app.example.com/", /must not contain credentials/],
		["https://me:pass@app.example.com/", /must not contain credentials/],
		["https://@app.example.com/", /must not contain credentials/],
		["https://*.example.com/", /must not have a wildcard/],
		["http://app.example.com/cb", /must use https/],
		["http://localhost.evil.example/cb", /must use https/],
		["http://127.0.0.1.evil.example/cb", /must use https/],
		["http://127.0.0.2/cb", /must use https/],
		["http://[::2]/cb", /must use https/],
	] as const) {
		it(`refuses ${JSON.stringify(uri)}`, () => {
			assert.throws(
				() => parseRedirectUris(["https://good.example/", uri]),
				(error) => {
					assert.ok(error instanceof AppError);
					assert.equal(error.code, "request.invalid");
					assert.deepEqual(
						error.fields.map(({ field }) => field),
						["redirect_uris.1"],
					);
					assert.match(error.message, why);
					return true;
				},
			);
		});
	}

	it("names every invalid entry, and the second of two equal ones", () => {
		const uris = ["https://a.example/", "http://b.example/", "https://a.example/"];
		assert.throws(() => parseRedirectUris(uris), {
			message:
				"redirect_uris.1 must use https; http is allowed only for localhost, 127.0.0.1, and [::1]; redirect_uris.2 is a duplicate",
		});
	});
});
