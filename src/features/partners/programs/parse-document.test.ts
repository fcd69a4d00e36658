import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { AppError } from "../../../kernel/error.ts";
import { checkProgramUrl, parseDocument, parsePublishedKeys } from "./parse-document.ts";

const URL_OF_DOCUMENT = "https://agent.example/client.json";
const PUBLISHED = new URL("../../../../test/programs/", import.meta.url);
const good = {
	client_id: URL_OF_DOCUMENT,
	client_name: "Example Agent",
	redirect_uris: ["http://127.0.0.1/callback"],
};
const publicKey = (kid?: string) => ({
	...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
	...(kid && { kid }),
});
const withKeys = { ...good, token_endpoint_auth_method: "private_key_jwt" };

const codesOf = (work: () => unknown): string => {
	try {
		work();
		return "accepted";
	} catch (error) {
		assert.ok(error instanceof AppError && error.code === "program.document", String(error));
		return error.fields.map(({ field, code }) => `${field} ${code}`).join("; ");
	}
};

describe("checkProgramUrl", () => {
	it("refuses URLs that cannot name a program", () => {
		for (const [url, problem] of [
			["http://agent.example/client.json", "https_url"],
			["https://agent.example", "url_path"],
			["https://agent.example:8443/client.json", "url_with_port"],
			["https://agent.example:443/client.json", "url_with_port"],
			["https://user@agent.example/client.json", "url_credentials"],
			["https://agent.example/client.json?v=1", "url_query_or_fragment"],
			["https://agent.example/client.json#top", "url_query_or_fragment"],
			["https://agent.example/a/../client.json", "url_normal"],
			["https://agent.example/a/%2e%2e/client.json", "url_normal"],
			["https://Agent.example/client.json", "url_normal"],
			["https://192.0.2.1/client.json", "url_host_name"],
			["https://2130706433/client.json", "url_host_name"],
			["https://[2001:db8::1]/client.json", "url_host_name"],
			["https://agent.example./client.json", "url_host_name"],
			["https://bücher.example/client.json", "https_url"],
			["https://agent.example\\client.json", "https_url"],
			[`https://agent.example/${"a".repeat(2100)}`, "characters_max"],
		] as const)
			assert.equal(
				codesOf(() => checkProgramUrl(url)),
				`client_id ${problem}`,
				url,
			);
	});

	it("accepts a name with a path, in ASCII", () => {
		for (const url of [URL_OF_DOCUMENT, "https://xn--bcher-kva.example/", "https://localhost/client.json"])
			assert.equal(
				codesOf(() => checkProgramUrl(url)),
				"accepted",
				url,
			);
	});
});

describe("parseDocument", () => {
	it("accepts the documents that well-known programs publish", () => {
		const files = readdirSync(PUBLISHED);
		assert.ok(files.length >= 4);
		for (const file of files) {
			const text = readFileSync(new URL(file, PUBLISHED), "utf8");
			const { client_id: url, client_name: name, redirect_uris: redirectUris } = JSON.parse(text);
			assert.equal(
				codesOf(() => checkProgramUrl(url)),
				"accepted",
				file,
			);
			const document = parseDocument(text, url);
			assert.deepEqual(
				{ name: document.name, redirectUris: document.redirectUris, authMethod: document.authMethod },
				{ name, redirectUris, authMethod: "none" },
			);
			assert.deepEqual(document.published, JSON.parse(text));
		}
	});

	it("refuses bad documents, naming the member", () => {
		const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const jwks = (...keys: unknown[]) => ({ ...withKeys, jwks: { keys } });
		const bad: readonly (readonly [unknown, string])[] = [
			["<html>", "document json_object"],
			[[], "document json_object"],
			["null", "document json_object"],
			[{ ...good, client_id: undefined }, "client_id required"],
			[{ ...good, client_id: 1 }, "client_id type"],
			[{ ...good, client_id: `${URL_OF_DOCUMENT}/` }, "client_id same_url"],
			[{ ...good, client_id: "https://agent.example/%63lient.json" }, "client_id same_url"],
			[{ ...good, client_secret: "x" }, "client_secret public_document"],
			[{ ...good, client_secret_expires_at: 0 }, "client_secret_expires_at public_document"],
			[{ ...good, client_name: undefined }, "client_name required"],
			[{ ...good, client_name: " " }, "client_name blank"],
			[{ ...good, client_name: "a".repeat(101) }, "client_name characters_max"],
			[{ ...good, client_name: "Agent\u202egnp" }, "client_name hidden_character"],
			[{ ...good, client_name: "Agent\n" }, "client_name hidden_character"],
			[{ ...good, client_name: "\u3164" }, "client_name no_visible_character"],
			[{ ...good, redirect_uris: undefined }, "redirect_uris required"],
			[{ ...good, redirect_uris: "https://agent.example/cb" }, "redirect_uris type"],
			[{ ...good, redirect_uris: [] }, "redirect_uris empty"],
			[
				{ ...good, redirect_uris: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`) },
				"redirect_uris items_max",
			],
			[{ ...good, redirect_uris: ["https://a.example/", "https://a.example/"] }, "redirect_uris.1 duplicate"],
			[{ ...good, redirect_uris: ["http://agent.example/cb"] }, "redirect_uris.0 https_or_loopback"],
			[{ ...good, redirect_uris: ["https://u@agent.example/cb"] }, "redirect_uris.0 url_credentials"],
			[{ ...good, redirect_uris: ["https://agent.example/cb#x"] }, "redirect_uris.0 url_fragment"],
			[{ ...good, redirect_uris: ["javascript:alert(1)"] }, "redirect_uris.0 redirect_scheme"],
			[{ ...good, redirect_uris: ["data:text/html,x"] }, "redirect_uris.0 redirect_scheme"],
			[{ ...good, token_endpoint_auth_method: "client_secret_basic" }, "token_endpoint_auth_method one_of"],
			[withKeys, "jwks keys_required"],
			[{ ...jwks(publicKey()), jwks_uri: "https://agent.example/keys" }, "jwks_uri absent_with_jwks"],
			[{ ...withKeys, jwks_uri: "http://agent.example/keys" }, "jwks_uri https_url"],
			[jwks(), "jwks.keys keys_count"],
			[jwks(privateKey.export({ format: "jwk" })), "jwks.keys.0 private_key"],
			[jwks(publicKey("one"), publicKey()), "jwks.keys.1 key_id_required"],
		];
		for (const [document, problem] of bad) {
			const text = typeof document === "string" ? document : JSON.stringify(document);
			assert.equal(
				codesOf(() => parseDocument(text, URL_OF_DOCUMENT)),
				problem,
				text.slice(0, 120),
			);
		}
	});

	it("accepts private-use schemes, and keys", () => {
		const app = "com.example.agent:/callback";
		assert.deepEqual(
			parseDocument(JSON.stringify({ ...good, redirect_uris: [app] }), URL_OF_DOCUMENT).redirectUris,
			[app],
		);
		const keys = [publicKey("one"), publicKey("two")];
		const { jwks, authMethod } = parseDocument(
			JSON.stringify({ ...withKeys, jwks: { keys } }),
			URL_OF_DOCUMENT,
		);
		assert.equal(authMethod, "private_key_jwt");
		assert.deepEqual(
			jwks?.keys.map(({ kid }) => kid),
			["one", "two"],
		);
	});
});

describe("parsePublishedKeys", () => {
	it("takes the usable keys and requires one", () => {
		const text = JSON.stringify({ keys: [{ kty: "oct", k: "AA" }, publicKey("one")] });
		assert.deepEqual(
			parsePublishedKeys(text).keys.map(({ kid }) => kid),
			["one"],
		);
		assert.equal(
			codesOf(() => parsePublishedKeys('{"keys":[]}')),
			"jwks_uri keys_count",
		);
		assert.equal(
			codesOf(() => parsePublishedKeys("x")),
			"jwks_uri json_object",
		);
	});
});
