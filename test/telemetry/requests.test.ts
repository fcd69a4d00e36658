// The spans and metrics that an OTLP receiver gets, without personal data.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SPAN_ATTRIBUTES } from "../../src/kernel/tracing.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { grantTo } from "../harness/openid/oauth-grants.ts";
import { connect } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { mailedCode, sendCode } from "../harness/people/registration.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { type CallResponse, startTestService, type TestService } from "../harness/service/service.ts";
import {
	attributesOf,
	type OtlpReceiver,
	type ReceivedSpan,
	startOtlpReceiver,
} from "../harness/telemetry/otlp-receiver.ts";
import { startWebhookReceiver } from "../harness/webhooks/webhook-receiver.ts";
import { addWebhook } from "../harness/webhooks/webhooks.ts";

const USERNAME = "marked-username";
const EMAIL = "marked-address@marked-domain.example";
const PASSWORD = "marked password of a person";
const DISPLAY_NAME = "Marked Displayname";
const USER_AGENT = "marked-agent/1.0";
const QUERY = "marked-query";
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

let receiver: OtlpReceiver;
let service: TestService;
let metrics: ReadonlyMap<string, number>;
/** By name. */
const responses = new Map<string, CallResponse>();
let clientId: string;
let person: { readonly id: string; readonly token: string };

/** The span of a request, by its status. */
function spanOf(name: string): ReceivedSpan {
	const id = responses.get(name)?.headers["x-request-id"];
	const found = receiver.spans.filter(({ attributes }) => attributes["latchkey.request_id"] === id);
	assert.equal(found.length, 1, `${name}: ${found.length} spans`);
	return found[0] as ReceivedSpan;
}

function childrenOf({ spanId, traceId }: ReceivedSpan): ReceivedSpan[] {
	return receiver.spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);
}

async function register(): Promise<void> {
	await sendCode(service, EMAIL);
	const body = {
		username: USERNAME,
		email: EMAIL,
		password: PASSWORD,
		display_name: DISPLAY_NAME,
		code: await mailedCode(service, EMAIL),
	};
	const headers = { "user-agent": USER_AGENT, traceparent: PARENT };
	const response = await service.call("POST", "/api/v1/auth/register", { body, headers });
	assert.equal(response.status, 201, JSON.stringify(response.body));
	responses.set("register", response);
	const token = await service.tokenOf(USERNAME, PASSWORD);
	person = { id: (await service.call("GET", "/api/v1/users/me", { token })).body.data.id, token };
}

async function signOutOfApplication(backchannelLogoutUri: string): Promise<void> {
	({ id: clientId } = await connect(service, { backchannelLogoutUri }));
	const { token } = await addPerson(service, "leaving");
	await grantTo(service, clientId, token);
	const response = await service.call("POST", "/api/v1/auth/logout", { token });
	assert.equal(response.status, 204, JSON.stringify(response.body));
}

async function ask(name: string, method: string, path: string, token?: string): Promise<void> {
	responses.set(name, await service.call(method, path, token === undefined ? {} : { token }));
}

before(async () => {
	receiver = await startOtlpReceiver();
	const webhooks = await startWebhookReceiver();
	service = await startTestService({
		metrics: true,
		env: {
			LATCHKEY_OTLP_ENDPOINT: `${receiver.url}/`,
			LATCHKEY_OTLP_HEADERS: "Authorization=Bearer%20otlp-token,x-scope=a%2Cb",
			LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
		},
	});
	await signOutOfApplication(`${webhooks.url}/logout`);
	await webhooks.atLeast(1);
	await addWebhook(service, { url: webhooks.url, event_types: ["user.registered"] });
	await register();
	await webhooks.atLeast(2);
	await ask("one user", "GET", `/api/v1/users/${person.id}`, await service.adminToken());
	await ask("absent user", "GET", `/api/v1/users/${ABSENT_ID}`, await service.adminToken());
	await ask("not allowed", "GET", "/api/v1/users", person.token);
	await ask("search", "GET", `/api/v1/users?search=${QUERY}`, await service.adminToken());
	await ask("no route", "GET", `/api/v1/${USERNAME}?q=${QUERY}`);
	await ask("page", "GET", "/docs");
	metrics = await metricsOf(service);
	await service.stop();
	await webhooks.close();
});
after(() => receiver.close());

describe("the span of a request", () => {
	it("has the route as its name, and the attributes of the conventions", () => {
		const { name, kind, isFailed, parentSpanId, attributes } = spanOf("one user");
		assert.deepEqual([name, kind, isFailed, parentSpanId], ["GET /api/v1/users/{id}", 2, false, undefined]);
		assert.deepEqual(attributes, {
			"http.request.method": "GET",
			"http.route": "/api/v1/users/{id}",
			"http.response.status_code": 200,
			"url.scheme": "http",
			"latchkey.request_id": responses.get("one user")?.headers["x-request-id"],
		});
	});

	it("has the error code, and no failed status for an error of the caller", () => {
		const codes = ["absent user", "not allowed"].map((name) => {
			const { attributes, isFailed } = spanOf(name);
			return [attributes["http.response.status_code"], attributes["latchkey.code"], isFailed];
		});
		assert.deepEqual(codes, [
			[404, "user.not_found", false],
			[403, "role.required", false],
		]);
	});

	it("has only the method as its name for an unknown path", () => {
		const { name, attributes } = spanOf("no route");
		assert.deepEqual(
			[name, attributes["http.route"], attributes["latchkey.code"]],
			["GET", undefined, "route.not_found"],
		);
		assert.equal(spanOf("search").name, "GET /api/v1/users");
		assert.equal(spanOf("page").name, "GET /docs");
	});

	it("has the password hash and the transactions as children, even after a body is read", () => {
		const children = childrenOf(spanOf("register"));
		const names = children.map(({ name }) => name).sort();
		assert.deepEqual([...new Set(names)], ["database transaction", "password hash"]);
		const transaction = children.find(({ name }) => name === "database transaction");
		const system = process.env.TEST_DATABASE === "postgres" ? "postgresql" : "sqlite";
		assert.deepEqual([transaction?.kind, transaction?.attributes], [3, { "db.system.name": system }]);
		assert.deepEqual(childrenOf(spanOf("no route")), []);
	});

	it("accepts no parent from a caller that is not a trusted proxy", () => {
		const { traceId, parentSpanId } = spanOf("register");
		assert.ok(!PARENT.includes(traceId));
		assert.equal(parentSpanId, undefined);
	});
});

describe("the span of a delivery", () => {
	it("is a separate trace for a mail", () => {
		const found = receiver.spans.find(({ name }) => name === "mail delivery");
		const { "latchkey.mail_id": id, ...others } = found?.attributes ?? {};
		assert.match(String(id), /^[0-9a-f-]{36}$/);
		assert.deepEqual(others, {
			"latchkey.template": "registration_code",
			"latchkey.attempts": 1,
			"latchkey.state": "sent",
		});
		assert.equal(found?.parentSpanId, undefined);
	});

	it("is a separate trace for a webhook", () => {
		const found = receiver.spans.find(({ name }) => name === "webhook delivery");
		const { "latchkey.attempts": attempts, "http.response.status_code": status } = found?.attributes ?? {};
		assert.deepEqual([attempts, status, found?.isFailed], [1, 204, false]);
		assert.equal(found?.parentSpanId, undefined);
	});

	it("is a separate trace for a logout notification, without session and user", () => {
		const found = receiver.spans.find(({ name }) => name === "logout notice");
		assert.deepEqual(found?.attributes, {
			"latchkey.client_id": clientId,
			"latchkey.attempts": 1,
			"http.response.status_code": 204,
		});
		assert.equal(found?.parentSpanId, undefined);
	});
});

describe("the metrics", () => {
	it("are the series of /metrics", () => {
		const scraped = new Set(
			[...metrics.keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, "")),
		);
		const sent = new Set(receiver.metrics.map(({ name }) => name));
		const own = (names: ReadonlySet<string>) =>
			[...names].filter((name) => name.startsWith("latchkey_")).sort();
		assert.deepEqual(own(sent), own(scraped));
		assert.ok([...sent].some((name) => name.startsWith("process_")));
	});

	it("have the same values, with counts per bucket in histograms", () => {
		const named = (name: string) => receiver.metrics.find((metric) => metric.name === name);
		const signIns = named("latchkey_sign_ins_total");
		assert.deepEqual([signIns?.sum.isMonotonic, signIns?.sum.aggregationTemporality], [true, 2]);
		const successes = signIns?.sum.dataPoints.find(
			(point: object) => attributesOf(point).outcome === "success",
		);
		assert.equal(successes.asDouble, metrics.get('latchkey_sign_ins_total{outcome="success"}'));
		const durations = named("latchkey_http_request_duration_seconds")?.histogram;
		const labels = { method: "POST", route: "/api/v1/auth/register", status: 201 };
		const point = durations.dataPoints.find((each: object) => {
			const { method, route, status } = attributesOf(each);
			return method === labels.method && route === labels.route && Number(status) === labels.status;
		});
		const counts = point.bucketCounts.map(Number);
		assert.equal(counts.length, point.explicitBounds.length + 1);
		assert.deepEqual(
			[Number(point.count), counts.reduce((sum: number, count: number) => sum + count)],
			[1, 1],
		);
		assert.ok(point.sum > 0);
	});
});

describe("exported data", () => {
	it("is well-formed, names the service, and carries the headers", () => {
		assert.deepEqual(receiver.faults, []);
		const [resource, ...others] = receiver.resources;
		assert.equal(resource?.["service.name"], "latchkey");
		assert.match(String(resource?.["service.version"]), /^\d+\.\d+\.\d+/);
		for (const other of others) assert.deepEqual(other, resource);
		for (const { authorization, "x-scope": scope } of receiver.headers)
			assert.deepEqual([authorization, scope], ["Bearer otlp-token", "a,b"]);
	});

	it("has only attributes of the closed list", () => {
		const names = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
		const known: readonly string[] = SPAN_ATTRIBUTES;
		assert.deepEqual(
			[...names].filter((name) => !known.includes(name)),
			[],
		);
		assert.ok(names.size > 8);
	});

	it("contains no personal data, path, or query", () => {
		const bytes = Buffer.concat(receiver.bodies).toString("latin1");
		assert.ok(bytes.includes("/api/v1/users/{id}"), "what is searched is there");
		const marks = [USERNAME, EMAIL, "marked", "Marked", PASSWORD, person.id, person.token, ABSENT_ID, QUERY];
		assert.deepEqual(
			[...marks, "127.0.0.1", "otlp-token"].filter((mark) => bytes.includes(mark)),
			[],
		);
	});

	it("appears in no log line", () => {
		assert.doesNotMatch(service.logs(), /OTLP|otlp-token/);
	});
});

describe("behind a trusted proxy", () => {
	it("accepts the parent in traceparent, and ignores malformed ones", async () => {
		await using behind = await startOtlpReceiver();
		const proxied = await startTestService({
			env: {
				LATCHKEY_OTLP_ENDPOINT: behind.url,
				LATCHKEY_OTLP_TRACE_PERCENT: "0",
				LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
			},
		});
		const get = (traceparent: string | string[]) =>
			proxied.call("GET", "/health", {
				headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", traceparent },
			});
		await get(PARENT);
		const unsampled = PARENT.replace(/01$/, "00");
		const wrong = [unsampled, [PARENT, PARENT], PARENT.toUpperCase(), `01${PARENT.slice(2)}`, "x"];
		for (const text of wrong) await get(text);
		await get("00-00000000000000000000000000000000-b7ad6b7169203331-01");
		await proxied.stop();
		assert.deepEqual(
			behind.spans
				.filter(({ kind }) => kind === 2)
				.map(({ traceId, parentSpanId }) => [traceId, parentSpanId]),
			[[PARENT.slice(3, 35), PARENT.slice(36, 52)]],
		);
		assert.ok(behind.metrics.length > 30, "metrics are sent all the same");
	});
});
