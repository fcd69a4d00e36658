// `format=csv`: every list that can be exported returns all rows that match, once, and records the export.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submit, submitApproved } from "../harness/access/access-requests.ts";
import { ABSENT_ID, addApplication, addCast, addRole, putGrant } from "../harness/access/applications.ts";
import { addManyUsers } from "../harness/databases/many-users.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";

/** More than two parts of an export. */
const MANY = 1_203;
const FORMULA = '=HYPERLINK("https://evil.example", "Salary")';

type Row = Readonly<Record<string, string>>;

/** Reads a file of this service: fields are quoted where needed, and lines end with CRLF. */
function parse(text: string): Row[] {
	const lines = text.matchAll(/(?:"(?:[^"]|"")*"|[^",\r\n])*(?:,(?:"(?:[^"]|"")*"|[^",\r\n])*)*\r\n/g);
	const [header = [], ...rows] = [...lines].map(([line]) =>
		[...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
			([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
		),
	);
	return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ""])));
}

describe("format=csv", () => {
	const service = testService({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000" } });
	const cast = fixture(() => addCast(service));
	const application = fixture(() => addApplication(service));
	const requests = fixture(async () => {
		await addRole(service, application.id, "reader");
		await addRole(service, application.id, "writer");
		for (const { id } of [cast.plain, cast.auditor])
			await putGrant(service, application.id, id, ["reader", "writer"]);
		await service.asAdmin("PATCH", `/api/v1/users/${cast.plain.id}`, {
			display_name: FORMULA,
			status: "disabled",
		});
		return {
			formula: await submit(service, { purpose: "a\n=1;@b" }),
			approved: await submitApproved(service),
		};
	});
	const paths = (): Readonly<Record<string, string>> => ({
		"/api/v1/users": "/api/v1/users",
		"/api/v1/requests": "/api/v1/requests",
		"/api/v1/api-clients": "/api/v1/api-clients",
		"/api/v1/applications/{id}/grants": `/api/v1/applications/${application.id}/grants`,
	});

	const fetchCsv = (path: string, query = "", token = cast.auditor.token) =>
		fetch(`${service.httpUrl}${path}?format=csv${query}`, { headers: { authorization: `Bearer ${token}` } });
	const rowsOf = async (path: string, query = ""): Promise<Row[]> => {
		const response = await fetchCsv(path, query);
		assert.equal(response.status, 200);
		return parse(await response.text());
	};
	const exports = async () => {
		const events = await service.asAdmin("GET", "/api/v1/audit-events?action=list.exported&page_size=100");
		return events.map(({ actor, details, summary }) => ({ actor, details, summary }));
	};

	it("returns the rows of the list with all their fields, for every list that can be exported", async () => {
		const exportable = (await mapOfRoutes()).filter(({ endpoint }) => endpoint.response.csv !== undefined);
		assert.deepEqual(exportable.map(({ path }) => path).toSorted(), Object.keys(paths()).toSorted());
		for (const { path, endpoint } of exportable) {
			const actual = paths()[path] ?? "";
			const { body } = await service.call<{ data: Record<string, unknown>[] }>(
				"GET",
				`${actual}?page_size=100`,
				{
					token: cast.auditor.token,
				},
			);
			const rows = await rowsOf(actual);
			assert.deepEqual(Object.keys(rows[0] ?? {}), endpoint.response.csv?.columns, path);
			assert.deepEqual(
				rows.map(({ id }) => id),
				body.data.map(({ id }) => id),
				path,
			);
			for (const [at, row] of body.data.entries())
				for (const [name, value] of Object.entries(row))
					if (typeof value === "boolean" || name === "created_at")
						assert.equal(rows[at]?.[name], String(value), `${path} ${name}`);
		}
		const [grant] = await rowsOf(paths()["/api/v1/applications/{id}/grants"] ?? "");
		assert.deepEqual([grant?.username, grant?.roles, grant?.group_id], ["auditor", "reader, writer", ""]);
	});

	it("is a UTF-8 file with a byte order mark that no cache stores", async () => {
		const response = await fetchCsv("/api/v1/api-clients");
		assert.deepEqual(
			["content-type", "content-disposition", "cache-control"].map((name) => response.headers.get(name)),
			["text/csv; charset=utf-8", 'attachment; filename="api-clients.csv"', "no-store"],
		);
		assert.deepEqual(
			[...new Uint8Array(await response.arrayBuffer()).slice(0, 5)],
			[0xef, 0xbb, 0xbf, 0x69, 0x64],
		);
	});

	it("contains no formula, neither in a field nor where another separator would begin one", async () => {
		const user = (await rowsOf("/api/v1/users")).find(({ id }) => id === cast.plain.id);
		assert.equal(user?.display_name, `'${FORMULA}`);
		const request = (await rowsOf("/api/v1/requests")).find(({ id }) => id === requests.formula.id);
		assert.equal(request?.purpose, "a\n'=1;'@b");
	});

	it("applies the filters of the list, and neither its page nor its order", async () => {
		const ids = async (query: string) =>
			(await rowsOf("/api/v1/users", query)).map(({ username }) => username);
		assert.deepEqual(await ids("&status=disabled"), ["plain"]);
		assert.deepEqual(await ids("&q=salary&page=7&page_size=1"), ["plain"]);
		assert.deepEqual(await ids("&role=auditor&sort=-name"), ["auditor"]);
		assert.deepEqual(await ids("&q=nobody"), []);
		const requested = await rowsOf("/api/v1/requests", "&status=approved&sort=oldest");
		assert.deepEqual(
			requested.map(({ id }) => id),
			[requests.approved.id],
		);
		const grants = await rowsOf(`/api/v1/applications/${application.id}/grants`, "&kind=group");
		assert.deepEqual(grants, []);
	});

	it("records who exported which list and with which filters, but not the search text", async () => {
		await rowsOf("/api/v1/users", "&status=active&q=ada&sort=name");
		await rowsOf(`/api/v1/applications/${application.id}/grants`);
		const actor = `user:${cast.auditor.id}`;
		assert.deepEqual((await exports()).slice(0, 2), [
			{
				actor,
				details: { list: "grants", format: "csv", id: application.id },
				summary: "auditor exported grants as CSV",
			},
			{
				actor,
				details: { list: "users", format: "csv", status: "active", q: true },
				summary: "auditor exported users as CSV",
			},
		]);
	});

	it("is refused like the list, and a refused request is not recorded", async () => {
		const before = (await exports()).length;
		const refusals = [
			[await fetchCsv("/api/v1/users", "", cast.plain.token), 401],
			[await fetchCsv("/api/v1/users", "", cast.reviewer.token), 403],
			[await fetchCsv("/api/v1/users", "&status=odd"), 400],
			[await fetchCsv("/api/v1/requests", `&related_to=${ABSENT_ID}`), 400],
			[await fetchCsv(`/api/v1/applications/${ABSENT_ID}/grants`), 404],
			[await fetchCsv(`/api/v1/applications/${application.id}/grants`, "", cast.other.adminToken), 404],
		] as const;
		for (const [{ status, headers }, expected] of refusals)
			assert.deepEqual([status, headers.get("content-disposition")], [expected, null]);
		const head = await service.call("HEAD", "/api/v1/users?format=csv", { token: cast.auditor.token });
		assert.deepEqual([head.status, head.headers["content-type"]], [200, "text/csv; charset=utf-8"]);
		const absent = `/api/v1/applications/${ABSENT_ID}/grants?format=csv`;
		assert.equal((await service.call("HEAD", absent, { token: cast.auditor.token })).status, 404);
		assert.equal((await exports()).length, before);
	});

	it("returns every row of a long list once, and none of another tenant", async () => {
		await using engine = await service.openDatabase();
		await addManyUsers(engine, MANY);
		const many = (await rowsOf("/api/v1/users")).filter(({ id }) => id?.startsWith("person-"));
		assert.equal(many.length, MANY);
		assert.equal(new Set(many.map(({ id }) => id)).size, MANY);
		const theirs = parse(await (await fetchCsv("/api/v1/users", "", cast.other.adminToken)).text());
		assert.ok(theirs.length > 0);
		assert.ok(theirs.every(({ id }) => id?.startsWith("person-") === false));
	});
});
