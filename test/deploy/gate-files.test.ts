// The untested configurations in deploy/gate: Traefik, Envoy, and Kong ask the gate about every request, refuse without it, and
// remove credentials and forged headers. test/proxies/gate.test.ts runs the others.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OVERRIDE_HEADERS } from "../../src/domain/method-override.ts";
import { gateRefusals } from "../../src/features/partners/gate/ask-endpoints.ts";
import { passedHeaders, refusalOf } from "../../src/features/partners/gate/gate-response-wire.ts";
import { AppError } from "../../src/kernel/error.ts";
import { readDelivered, readYaml, type Yaml } from "./delivered.ts";

const ASKED = [
	"accept",
	"access-control-request-headers",
	"access-control-request-method",
	"authorization",
	"content-digest",
	"dpop",
	"origin",
	"x-api-key",
	"x-app-id",
	"x-nonce",
	"x-signature",
	"x-tenant-id",
	"x-timestamp",
];
const REMOVED = [
	...OVERRIDE_HEADERS,
	"x-forwarded-prefix",
	"true-client-ip",
	"remote-user",
	"x-remote-user",
	"x-remote-group",
];
const CREDENTIALS = ["authorization", "dpop", "x-signature", "x-gate-key"];
const ORIGINAL = ["x-original-method", "x-original-uri"];
const METADATA = "/\\.well-known/oauth-protected-resource(/.*)?";
const OWN_METADATA = "/.well-known/oauth-protected-resource/gate/APPLICATION_ID";
const PAGES = "/\\.latchkey/(sign-in|callback|sign-out)";

const PASSED = Object.keys(
	passedHeaders(
		{ tenantId: "t" } as Parameters<typeof passedHeaders>[0],
		{ requestId: "r" } as Parameters<typeof passedHeaders>[1],
		{ caller: undefined, permissions: [], isTest: false, bodySha256: undefined } as Parameters<
			typeof passedHeaders
		>[2],
		"statement",
	),
);
const PROGRESS = { rule: null, caller: undefined, testClientId: undefined };
const REFUSED = Object.keys({
	...gateRefusals.headersOf(403, "gate.no_rule", "r"),
	...refusalOf(new AppError("gate.no_rule", "no rule"), PROGRESS, {
		signIn: undefined,
		metadataUrl: undefined,
		crossOrigin: {},
	}).headers,
});
const SENT = [...new Set([...PASSED, ...REFUSED])].filter((name) => name.startsWith("latchkey-"));
/** Of a refusal only: the application never receives a meaningful value. */
const OF_REFUSALS = ["latchkey-status", "latchkey-refusal", "latchkey-reason"];
const DESCRIBING = SENT.filter((name) => !OF_REFUSALS.includes(name));

describe("the untested files", () => {
	test("say so in their first comment", () => {
		for (const file of ["traefik.yaml", "envoy.yaml", "kong.yaml"])
			assert.match(readDelivered(`gate/${file}`), /^# Untested\. /, file);
	});

	test("are checked against all headers of the gate", () => {
		assert.ok(DESCRIBING.includes("latchkey-caller") && DESCRIBING.includes("latchkey-mode"));
		assert.equal(SENT.length, DESCRIBING.length + OF_REFUSALS.length);
	});
});

test("each file marks the line that keeps Authorization from an application with tokens of its own", () => {
	for (const file of [
		"nginx.conf",
		"Caddyfile",
		"latchkey-gate.lua",
		"traefik.yaml",
		"envoy.yaml",
		"kong.yaml",
	])
		assert.deepEqual(
			readDelivered(`gate/${file}`)
				.split("\n")
				.flatMap((line) => (line.includes("own_tokens") ? [/authorization/i.test(line)] : [])),
			[true],
			file,
		);
});

describe("traefik.yaml", () => {
	const [{ http }] = readYaml("gate/traefik.yaml") as [Yaml];
	const { routers, middlewares, services } = http;
	const gate = middlewares["latchkey-gate"].forwardAuth;
	const removed = (name: string) => lowerKeys(middlewares[name].headers.customRequestHeaders, "");

	test("asks the gate on every route to the application", () => {
		const toApplication = Object.values<Yaml>(routers).filter((router) => router.service === "orders");
		assert.equal(toApplication.length, 2);
		for (const { middlewares: chain } of toApplication) {
			assert.equal(chain[0], "latchkey-inbound");
			assert.deepEqual(chain.slice(2), ["latchkey-gate", "latchkey-credentials"]);
		}
		assert.deepEqual(Object.keys(services), ["orders", "latchkey"]);
		assert.deepEqual(services.latchkey.loadBalancer.servers, [{ url: "http://latchkey:8080" }]);
	});

	test("sends only the sign-in pages and the API's metadata to Latchkey without asking the gate", () => {
		const others = Object.values<Yaml>(routers).filter((router) => router.service !== "orders");
		assert.deepEqual(
			others.map(({ service, rule }) => [service, rule.split(" && ").slice(1)]),
			[PAGES, METADATA].map((path) => ["latchkey", [`PathRegexp(\`^${path}$\`)`]]),
		);
		assert.deepEqual(middlewares["latchkey-metadata"], { replacePath: { path: OWN_METADATA } });
		const { regex, replacement } = middlewares["latchkey-page"].replacePathRegex;
		assert.equal(regex, `^${PAGES}$`);
		assert.equal(replacement, "/gate/APPLICATION_ID/browser/$1");
	});

	test("describes the request itself", () => {
		assert.equal(gate.address, "http://latchkey:8080/gate/APPLICATION_ID?redirect=1");
		assert.equal(gate.trustForwardHeader, false);
		assert.deepEqual(lower(gate.authRequestHeaders), [...ASKED, "cookie", "x-gate-key"].sort());
		const inbound = middlewares["latchkey-inbound"].headers.customRequestHeaders;
		assert.equal(inbound["X-Gate-Key"], '{{ env "LK_GATE_KEY" }}');
		assertIncludes(removed("latchkey-inbound"), [
			...ORIGINAL,
			...[...REMOVED, "forwarded"].flatMap(spellings),
		]);
	});

	test("removes and replaces what describes the caller, in every spelling", () => {
		assertIncludes(removed("latchkey-inbound"), SENT.flatMap(spellings));
		assert.deepEqual(lower(gate.authResponseHeaders), [...DESCRIBING].sort());
	});

	test("removes every credential, and all cookies", () => {
		assertIncludes(removed("latchkey-credentials"), [...CREDENTIALS, "cookie"]);
	});

	test("upgrades connections only to WebSockets of the application's own origin", () => {
		for (const { rule, service, middlewares: chain } of Object.values<Yaml>(routers)) {
			const isWebSocket = chain[1] === "latchkey-websocket";
			assert.equal(chain[1], isWebSocket ? "latchkey-websocket" : "latchkey-plain");
			if (!isWebSocket) continue;
			assert.equal(service, "orders");
			assert.ok(rule.includes("HeaderRegexp(`Upgrade`, `(?i)^websocket$`)"));
			assert.ok(rule.includes("&& Header(`Origin`, `https://orders.example.com`)"));
		}
		assert.deepEqual(removed("latchkey-plain"), ["connection", "upgrade"]);
	});
});

describe("envoy.yaml", () => {
	const [{ static_resources: resources }] = readYaml("gate/envoy.yaml") as [Yaml];
	const [listener] = resources.listeners;
	const manager = listener.filter_chains[0].filters[0].typed_config;
	const [inbound, asking, credentials, cookies, router] = manager.http_filters;
	const gate = asking.typed_config;
	const removed = (filter: Yaml): string[] =>
		filter.typed_config.mutations.request_mutations.map((mutation: Yaml) => mutation.remove);
	const names = (matcher: Yaml): string[] => matcher.patterns.map((pattern: Yaml) => pattern.exact);

	test("has one listener with the gate between the removals", () => {
		assert.equal(resources.listeners.length, 1);
		assert.equal(listener.filter_chains.length, 1);
		assert.equal(manager.http_filters.length, 5);
		assert.equal(inbound.name, "latchkey-inbound");
		assert.equal(asking.name, "envoy.filters.http.ext_authz");
		assert.equal(credentials.name, "latchkey-credentials");
		assert.equal(cookies.name, "envoy.filters.http.lua");
		assert.equal(router.name, "envoy.filters.http.router");
	});

	test("asks the gate on every route to the application", () => {
		const [host, ...otherHosts] = manager.route_config.virtual_hosts;
		const [pages, metadata, application, ...others] = host.routes;
		assert.deepEqual([...otherHosts, ...others], []);
		assert.deepEqual(application, { match: { prefix: "/" }, route: { cluster: "orders", timeout: "0s" } });
		assert.deepEqual(metadata.match, { safe_regex: { regex: METADATA } });
		assert.equal(metadata.route.cluster, "latchkey");
		assert.deepEqual(metadata.route.regex_rewrite, {
			pattern: { regex: `^${METADATA}$` },
			substitution: OWN_METADATA,
		});
		const { "envoy.filters.http.ext_authz": unasked } = metadata.typed_per_filter_config;
		assert.equal(unasked.disabled, true);
		assert.doesNotMatch(JSON.stringify(metadata), /gate-key|GATE_KEY/i);
		assert.deepEqual(pages.match, { safe_regex: { regex: PAGES } });
		assert.equal(pages.route.cluster, "latchkey");
		assert.equal(pages.route.regex_rewrite.substitution, "/gate/APPLICATION_ID/browser/\\1");
		for (const disabling of ["filter_enabled", "filter_enabled_metadata"])
			assert.ok(!(disabling in gate), disabling);
	});

	test("refuses without a decision", () => {
		assert.equal(gate.failure_mode_allow, false);
		assert.deepEqual(gate.status_on_error, { code: "ServiceUnavailable" });
		assert.ok(!("with_request_body" in gate));
	});

	test("describes the exact request", () => {
		const { path_prefix, server_uri, authorization_request } = gate.http_service;
		assert.equal(path_prefix, "/gate/APPLICATION_ID/at");
		assert.equal(server_uri.cluster, "latchkey");
		assert.deepEqual(authorization_request.headers_to_add, [
			{ key: "x-gate-key", value: "GATE_KEY" },
			{ key: "x-forwarded-for", value: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%" },
		]);
		const own = ["cookie", "upgrade", "x-forwarded-proto", "x-request-id"];
		assert.deepEqual(lower(names(gate.allowed_headers)), [...ASKED, ...own].sort());
		assert.equal(manager.use_remote_address, true);
		assert.equal(manager.normalize_path, false);
		assert.equal(manager.merge_slashes, false);
		assert.equal(manager.path_with_escaped_slashes_action, "KEEP_UNCHANGED");
		assertIncludes(removed(inbound), [...ORIGINAL, "x-forwarded-method", "x-forwarded-uri", "x-gate-key"]);
		assertIncludes(removed(inbound), [...REMOVED, "forwarded"]);
	});

	test("removes and replaces what describes the caller, in every spelling", () => {
		assertIncludes(removed(inbound), SENT);
		assert.equal(manager.common_http_protocol_options.headers_with_underscores_action, "DROP_HEADER");
		const replaced = gate.http_service.authorization_response.allowed_upstream_headers;
		assert.deepEqual(lower(names(replaced)), [...DESCRIBING].sort());
	});

	test("removes every credential, and Latchkey's cookies", () => {
		assertIncludes(removed(credentials), CREDENTIALS);
		const code = cookies.typed_config.default_source_code.inline_string;
		assert.ok(code.indexOf('headers:remove("cookie")') < code.indexOf('headers:add("cookie"'));
		assert.ok(code.includes('trimmed:lower():find("__host-latchkey", 1, true) ~= 1'));
	});

	test("upgrades connections only to WebSockets", () => {
		assert.deepEqual(manager.upgrade_configs, [{ upgrade_type: "websocket" }]);
	});
});

describe("kong.yaml", () => {
	const [{ services, routes = [], plugins = [] }] = readYaml("gate/kong.yaml") as [Yaml];
	const [application, latchkey, metadata, ...others] = services;
	const [asking, ...otherPlugins] = application.plugins;
	const code: string = asking.config.access.join("\n");
	const list = (name: string): string[] => {
		const [, text = ""] = new RegExp(`local ${name} = \\{([^}]*)\\}`).exec(code) ?? [];
		return [...text.matchAll(/"([a-z-]+)"/g)].map(([, header = ""]) => header);
	};

	test("asks the gate on every route to the application", () => {
		assert.deepEqual([...routes, ...plugins, ...others, ...otherPlugins], []);
		assert.equal(application.url, "http://orders:3000");
		assert.equal(asking.name, "pre-function");
		assert.equal(asking.enabled ?? true, true);
		for (const route of application.routes) assert.equal(route.plugins, undefined);
	});

	test("sends only the sign-in pages and the API's metadata to Latchkey without asking the gate", () => {
		assert.equal(latchkey.url, "http://latchkey:8080");
		assert.equal(metadata.url, "http://latchkey:8080");
		assert.deepEqual(
			metadata.routes.map((route: Yaml) => route.paths),
			[[`~${METADATA}$`]],
		);
		const [transforming, ...otherPlugins] = metadata.plugins;
		assert.deepEqual([transforming.name, otherPlugins], ["request-transformer", []]);
		assert.equal(transforming.config.replace.uri, OWN_METADATA);
		assert.doesNotMatch(JSON.stringify(metadata), /gate-key|GATE_KEY/i);
		const paths = latchkey.routes.flatMap((route: Yaml) => route.paths);
		assert.deepEqual(paths, [`~${PAGES.replace("(", "(?<page>")}$`]);
		const { replace, remove, add } = latchkey.plugins[0].config;
		assert.equal(replace.uri, "/gate/APPLICATION_ID/browser/$(uri_captures.page)");
		assert.ok(remove.headers.includes("X-Gate-Key"));
		assert.deepEqual(add.headers, ["X-Gate-Key:GATE_KEY"]);
	});

	test("refuses without a decision", () => {
		const admits = code.indexOf("for _, name in ipairs(CREDENTIALS)");
		const away = code.indexOf("if not response or response.status >= 500 then return unavailable() end");
		const refused = code.indexOf("if response.status ~= 200 then");
		assert.ok(0 < away && away < refused && refused < admits);
		assert.doesNotMatch(code, /pcall/);
	});

	test("describes the exact request", () => {
		assert.ok(code.includes('"http://latchkey:8080/gate/APPLICATION_ID?redirect=1"'));
		assert.ok(code.includes('["x-original-method"] = method'));
		assert.ok(code.includes('["x-original-uri"] = kong.request.get_path_with_query()'));
		assert.deepEqual(list("ASKED").sort(), [...ASKED, "upgrade"].sort());
	});

	test("removes and replaces what describes the caller, in every spelling", () => {
		assert.ok(code.includes('name:lower():gsub("_", "-")'));
		assert.ok(code.includes('read_as:find("^latchkey") or read_as:find("^x%-original") or REMOVED[read_as]'));
		assertIncludes(
			list("REMOVED"),
			REMOVED.filter((name) => !name.startsWith("x-original")),
		);
		assert.ok(code.includes('if name:lower():find("^latchkey%-") then kong.service.request.set_header('));
		assert.ok(code.indexOf("count >= HEADERS_MAX") < code.indexOf("client:request_uri("));
	});

	test("removes every credential, and Latchkey's cookies", () => {
		assert.deepEqual(list("CREDENTIALS").sort(), [...CREDENTIALS, "cookie"].sort());
		assert.ok(code.includes('trimmed:lower():find("__host-latchkey", 1, true) ~= 1'));
	});
});

function lower(names: readonly string[]): string[] {
	return names.map((name) => name.toLowerCase()).sort();
}

function lowerKeys(headers: Readonly<Record<string, string>>, value: string): string[] {
	return lower(Object.keys(headers).filter((name) => headers[name] === value));
}

/** With `-` or `_` at each place: applications read both as the same header. */
function spellings(name: string): string[] {
	const [first = "", ...rest] = name.split("-");
	return rest.reduce(
		(heads, part) => heads.flatMap((head) => [`${head}-${part}`, `${head}_${part}`]),
		[first],
	);
}

function assertIncludes(actual: readonly string[], expected: readonly string[]): void {
	assert.deepEqual(
		expected.filter((name) => !actual.includes(name)),
		[],
	);
}
