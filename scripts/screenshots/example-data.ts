// Example data of a realistic installation: users, applications, partners and two weeks of activity.

import { allowTestClients, decide, mailedLinks, submit } from "../../test/harness/access/access-requests.ts";
import { addPerson } from "../../test/harness/people/people.ts";
import { ADMIN, type Credentials, type TestService } from "../../test/harness/service/service.ts";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Number of days before the screenshots at which the data begins. */
export const DAYS = 14;

const PEOPLE: readonly (readonly [username: string, name: string, roles?: readonly string[]])[] = [
	["maria.silva", "Maria Silva", ["admin"]],
	["jonas.berg", "Jonas Berg", ["reviewer"]],
	["wei.zhang", "张伟", ["auditor"]],
	["aisha.rahman", "Aisha Rahman"],
	["tomasz.nowak", "Tomasz Nowak"],
	["yusuf.demir", "Yusuf Demir"],
	["chloe.martin", "Chloé Martin"],
	["daniel.okafor", "Daniel Okafor"],
	["layla.haddad", "ليلى حداد"],
	["mei.tanaka", "田中 芽衣"],
	["oliver.smith", "Oliver Maximilian Smith-Featherstonehaugh"],
	["sofia.rossi", "Sofia Rossi"],
	["noah.kim", "Noah Kim"],
	["elena.petrova", "Elena Petrova"],
];
const APPLICATIONS = [
	["Order Portal", "Where buyers place and follow orders"],
	["Warehouse", "Stock and shipping of both sites"],
	["Field Service", "Planning of technicians, used on tablets"],
] as const;
const APPLICANTS = [
	[
		"Hannah Vogel",
		"Nordwind Logistik GmbH",
		"Shipment tracking",
		"Show our buyers where their shipments are.",
	],
	[
		"Raj Patel",
		"Brightline Analytics",
		"Order statistics",
		"Read who may see which orders, to build monthly reports for the purchasing team.",
	],
	["李娜", "上海云图科技有限公司", "库存同步", "每小时同步一次库存数据。"],
	[
		"Emma Johansson",
		"Fjord & Co",
		"Self-service kiosk",
		"Check at the kiosk whether a buyer may collect an order.",
	],
	[
		"Carlos Mendes",
		"Atlântica Sistemas",
		"ERP connector",
		"Sign in our employees who work in your warehouse.",
	],
] as const;

export interface ExampleData {
	readonly people: readonly { readonly id: string; readonly username: string; readonly password: string }[];
	readonly applicationIds: readonly string[];
	readonly clients: readonly { readonly id: string; readonly credentials: Credentials }[];
	readonly pendingRequestIds: readonly string[];
	/** The user code of a new device. */
	newDevice(): Promise<string>;
	/** The link in an applicant's mail. Each screenshot creates a new request. */
	newLink(page: "claim" | "test-client" | "withdraw"): Promise<string>;
}

/** Fills an empty installation whose clock is `DAYS` in the past, and sets the clock to the present. */
export async function fillWithExamples(service: TestService): Promise<ExampleData> {
	const people = [];
	for (const [username, display_name, roles] of PEOPLE) {
		people.push(await addPerson(service, username, { display_name, ...(roles && { roles }) }));
		service.clock.advance(HOUR_MS);
	}
	const applicationIds = await addApplications(
		service,
		people.map(({ id }) => id),
	);
	const clients = await addClients(service, applicationIds);
	const resource = "https://api.example.com";
	await change(service, "PUT", `/api/v1/applications/${applicationIds[1]}/oauth-client`, {
		type: "service",
		resource,
	});
	await change(service, "PUT", `/api/v1/applications/${applicationIds[0]}/oauth-client`, {
		type: "web",
		allowed_resources: [resource],
	});
	const deviceClientId = applicationIds.at(-1) ?? "";
	await change(service, "PUT", `/api/v1/applications/${deviceClientId}/oauth-client`, {
		type: "native",
		device_flow: true,
	});
	await addSettings(service);
	for (let day = 3; day < DAYS; day++) {
		service.clock.standAt(Date.now() - (DAYS - day) * DAY_MS);
		await oneDay(service, day, people, clients);
	}
	service.clock.standAt(Date.now() - 20 * HOUR_MS);
	const pendingRequestIds: string[] = [];
	for (const [index, [applicant_name, company, project_name, purpose]] of APPLICANTS.entries()) {
		const email = `contact@${["nordwind", "brightline", "yuntu", "fjord", "atlantica"][index]}.example`;
		const { id } = await submit(service, { applicant_name, company, project_name, purpose, email });
		if (index === 0)
			await decide(service, id, "approve", { review_note: "Welcome. Start with the sandbox." });
		else if (index === 1)
			await decide(service, id, "reject", { review_note: "Please name the data that you need." });
		else pendingRequestIds.push(id);
		service.clock.advance(3 * HOUR_MS);
	}
	service.clock.standAt(Date.now());
	people.push({ id: "", ...ADMIN });
	let links = 0;
	return {
		people,
		applicationIds,
		clients,
		pendingRequestIds,
		async newDevice() {
			const response = await service.call<{ user_code: string }>("POST", "/oauth/device-authorization", {
				https: true,
				headers: { "content-type": "application/x-www-form-urlencoded" },
				body: `client_id=${deviceClientId}&scope=openid+profile+email`,
			});
			return response.body.user_code;
		},
		async newLink(page) {
			links += 1;
			if (page === "test-client") await allowTestClients(service);
			const email = `partner-${links}@nordwind.example`;
			const { id } = await submit(service, { email, project_name: "Shipment tracking" });
			if (page === "claim") await decide(service, id, "approve");
			const [link = ""] = await mailedLinks(service, email, page);
			return link;
		},
	};
}

/** One-time configuration by administrators. */
async function addSettings(service: TestService): Promise<void> {
	await post(service, "/api/v1/webhooks", {
		url: "https://hooks.nordwind.example/latchkey",
		description: "Order system of Nordwind; ask Jonas",
		event_types: ["user.*", "grant.removed"],
	});
	for (const [provider, kind, display_name] of [
		["google", "google", "Google"],
		["nordwind", "oidc", "Nordwind"],
	])
		await post(service, "/api/v1/identity-providers", {
			provider,
			kind,
			display_name,
			client_id: "latchkey",
			client_secret: "as the provider gave it",
			...(kind === "oidc" && { issuer: "https://login.nordwind.example", sign_up: true }),
		});
	for (const [name, role, days] of [
		["Deployment", "admin", 9],
		["Monthly report", "auditor", 200],
	] as const)
		await post(service, "/api/v1/admin-keys", {
			name,
			roles: [role],
			ip_allowlist: role === "admin" ? ["203.0.113.0/24"] : [],
			expires_at: new Date(Date.now() + days * DAY_MS).toISOString(),
		});
	for (const [name, slug] of [
		["Nordwind Logistik GmbH", "nordwind"],
		["上海云图科技有限公司", "yuntu"],
	] as const)
		await post(service, "/api/v1/tenants", {
			name,
			slug,
			admin: { username: "admin", email: `admin@${slug}.example`, password: "the first admin of a tenant" },
		});
}

async function addApplications(service: TestService, userIds: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const [index, [name, description]] of APPLICATIONS.entries()) {
		const host = `https://${name.toLowerCase().replaceAll(" ", "-")}.example.com`;
		const { id } = await post(service, "/api/v1/applications", {
			name,
			description,
			redirect_uris: [`${host}/signed-in`, "http://localhost:3000/signed-in"],
		});
		ids.push(id);
		for (const role of ["viewer", "editor"])
			await post(service, `/api/v1/applications/${id}/roles`, {
				name: role,
				description: role === "viewer" ? "Reads everything" : "Reads and changes",
				permissions: role === "viewer" ? ["orders:read"] : ["orders:read", "orders:write"],
			});
		for (const userId of userIds.slice(index, index + 6))
			await change(service, "PUT", `/api/v1/applications/${id}/grants/users/${userId}`, {
				roles: ["viewer"],
			});
	}
	for (const [index, name] of ["Sales", "Warehouse staff"].entries()) {
		const { id } = await post(service, "/api/v1/groups", { name });
		for (const userId of userIds.slice(index * 4, index * 4 + 5))
			await change(service, "PUT", `/api/v1/groups/${id}/members/${userId}`, undefined);
		await change(service, "PUT", `/api/v1/applications/${ids[index]}/grants/groups/${id}`, {
			roles: ["viewer", "editor"],
		});
	}
	return ids;
}

async function addClients(
	service: TestService,
	applicationIds: readonly string[],
): Promise<ExampleData["clients"]> {
	const clients = [];
	for (const [index, name] of ["Nordwind production", "Nordwind staging", "Kiosk"].entries()) {
		const { secret, api_key, tenant_id, app_id, id } = await post<Credentials & { id: string }>(
			service,
			"/api/v1/api-clients",
			{
				app_id: applicationIds[index],
				name,
				ip_allowlist: index === 2 ? ["203.0.113.0/24"] : [],
				expires_at: index === 1 ? new Date(Date.now() + 9 * DAY_MS).toISOString() : null,
			},
		);
		clients.push({ id, credentials: { secret, api_key, tenant_id, app_id } });
	}
	return clients;
}

/** More activity on weekdays than at weekends; some sign-ins and calls are refused. */
async function oneDay(
	service: TestService,
	day: number,
	people: readonly { readonly username: string; readonly password: string }[],
	clients: ExampleData["clients"],
): Promise<void> {
	const isWeekend = day % 7 >= 5;
	for (const [index, { username, password }] of people.entries()) {
		if ((index + day) % (isWeekend ? 5 : 2) !== 0) continue;
		const body = { username, password: index % 6 === 5 ? "mistyped" : password };
		await service.call("POST", "/api/v1/auth/login", { body });
		service.clock.advance(HOUR_MS / 4);
	}
	for (const [index, { credentials }] of clients.entries()) {
		for (let call = 0; call < (isWeekend ? 2 : 6 + (day % 4)); call++) {
			const isRefused = index === 2 || (call === 3 && index === 1);
			const used =
				isRefused && index === 1 ? { ...credentials, secret: `${credentials.secret}x` } : credentials;
			await service.signed(used, "GET", "/api/v1/external/whoami");
			service.clock.advance(HOUR_MS / 10);
		}
	}
}

function post<Data = { readonly id: string }>(
	service: TestService,
	path: string,
	body: Readonly<Record<string, unknown>>,
): Promise<Data> {
	return change(service, "POST", path, body);
}

async function change<Data>(
	service: TestService,
	method: string,
	path: string,
	body: Readonly<Record<string, unknown>> | undefined,
): Promise<Data> {
	const token = await service.adminToken();
	const response = await service.call<{ data: Data } | undefined>(method, path, { token, body });
	if (response.status >= 300)
		throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
	return response.body?.data as Data;
}
