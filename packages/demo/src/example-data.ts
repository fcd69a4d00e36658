// Example data of a realistic installation: users, applications, partners and two weeks of activity.

import { change, type Installation, post } from "./installation.ts";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Number of days before the present at which the data begins. */
export const DAYS = 14;

/** Those who sign in during the two weeks. */
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
const GIVEN_NAMES =
	"Amira Ben Carla Dmitri Esther Farid Greta Hiro Inês Jakub Karin Lars Mina Nils Olga Priya".split(" ");
const FAMILY_NAMES =
	"Almeida Bauer Costa Dubois Eriksen Fischer García Hoffmann Ivanov Jensen Kowalski Lindqvist Moreau Novák Olsen Papadopoulos Quinn Ricci".split(
		" ",
	);
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

export interface Person {
	readonly id: string;
	readonly username: string;
	readonly password: string;
}

/** An API client as create returns it. */
export interface Credentials {
	readonly tenant_id: string;
	readonly app_id: string;
	readonly api_key: string;
	readonly secret: string;
}

export interface Examples {
	readonly people: readonly Person[];
	readonly applicationIds: readonly string[];
	/** The OAuth client of an application on devices. */
	readonly deviceClientId: string;
	readonly clients: readonly { readonly id: string; readonly credentials: Credentials }[];
	readonly pendingRequestIds: readonly string[];
}

/**
 * Fills an empty installation whose clock is `DAYS` in the past, and sets the clock to the present.
 *
 * @param progress called with what comes next
 */
export async function fillWithExamples(
	installation: Installation,
	progress: (what: string) => void = () => undefined,
): Promise<Examples> {
	progress("people");
	const people = await addPeople(installation);
	progress("applications and partners");
	const applicationIds = await addApplications(
		installation,
		people.map(({ id }) => id),
	);
	const clients = await addClients(installation, applicationIds);
	const resource = "https://api.example.com";
	await change(installation, "PUT", `/applications/${applicationIds[1]}/oauth-client`, {
		type: "service",
		resource,
	});
	await change(installation, "PUT", `/applications/${applicationIds[0]}/oauth-client`, {
		type: "web",
		allowed_resources: [resource],
	});
	const deviceClientId = applicationIds.at(-1) ?? "";
	await change(installation, "PUT", `/applications/${deviceClientId}/oauth-client`, {
		type: "native",
		device_flow: true,
	});
	await addSettings(installation);
	progress("two weeks of use");
	for (let day = 3; day < DAYS; day++) {
		installation.clock.standAt(Date.now() - (DAYS - day) * DAY_MS);
		await oneDay(installation, day, people, clients);
	}
	installation.clock.standAt(Date.now() - 20 * HOUR_MS);
	const pendingRequestIds = await addRequests(installation);
	await askForRoles(installation, applicationIds[0] ?? "", people.slice(6, 9));
	installation.clock.standAt(Date.now());
	return { people, applicationIds, deviceClientId, clients, pendingRequestIds };
}

async function addPeople(installation: Installation): Promise<Person[]> {
	const people: Person[] = [];
	const add = async (username: string, fields: Readonly<Record<string, unknown>>): Promise<Person> => {
		const password = `the long password of ${username}`;
		const email = `${username}@people.example`;
		const { id } = await post(installation, "/users", { username, email, password, ...fields });
		return { id, username, password };
	};
	for (const [username, display_name, roles] of PEOPLE) {
		people.push(await add(username, { display_name, ...(roles && { roles }) }));
		installation.clock.advance(HOUR_MS);
	}
	for (const family of FAMILY_NAMES)
		for (const given of GIVEN_NAMES)
			await add(asciiOf(`${given}.${family}`), { display_name: `${given} ${family}` });
	return people;
}

function asciiOf(name: string): string {
	return name
		.normalize("NFD")
		.replaceAll(/[^A-Za-z.]/g, "")
		.toLowerCase();
}

/** @returns the ids of those that wait for a decision */
async function addRequests(installation: Installation): Promise<string[]> {
	const pending: string[] = [];
	for (const [index, [applicant_name, company, project_name, purpose]] of APPLICANTS.entries()) {
		const email = `contact@${["nordwind", "brightline", "yuntu", "fjord", "atlantica"][index]}.example`;
		const body = { applicant_name, company, project_name, purpose, email };
		const response = await installation.call<{ id: string }>("POST", "/api/v1/access-requests", { body });
		if (response.status !== 201) throw new Error(`the request of ${company} returned ${response.status}`);
		const { id } = response.body;
		if (index === 0)
			await post(installation, `/requests/${id}/approve`, {
				review_note: "Welcome. Start with the sandbox.",
			});
		else if (index === 1)
			await post(installation, `/requests/${id}/reject`, {
				review_note: "Please name the data that you need.",
			});
		else pending.push(id);
		installation.clock.advance(3 * HOUR_MS);
	}
	return pending;
}

/** People who want a role of an application. */
async function askForRoles(
	installation: Installation,
	app_id: string,
	people: readonly Person[],
): Promise<void> {
	const requestable = { roles: ["editor"], longest: "P30D" };
	await change(installation, "PATCH", `/applications/${app_id}`, { requestable });
	const body = {
		app_id,
		roles: ["editor"],
		reason: "I cover for a colleague in purchasing.",
		until: new Date(Date.now() + 7 * DAY_MS).toISOString(),
	};
	for (const { username, password } of people)
		await post(installation, "/users/me/requests", body, await installation.tokenOf(username, password));
}

/** One-time configuration by administrators. */
async function addSettings(installation: Installation): Promise<void> {
	for (const [provider, kind, display_name] of [
		["google", "google", "Google"],
		["nordwind", "oidc", "Nordwind"],
	])
		await post(installation, "/identity-providers", {
			provider,
			kind,
			display_name,
			client_id: "latchkey",
			client_secret: "as the provider gave it",
			...(kind === "oidc" && { issuer: "https://login.nordwind.example", sign_up: true, force: true }),
		});
	for (const [name, role, days] of [
		["Deployment", "admin", 9],
		["Monthly report", "auditor", 200],
	] as const)
		await post(installation, "/admin-keys", {
			name,
			roles: [role],
			ip_allowlist: role === "admin" ? ["203.0.113.0/24"] : [],
			expires_at: new Date(Date.now() + days * DAY_MS).toISOString(),
		});
	for (const [name, slug] of [
		["Nordwind Logistik GmbH", "nordwind"],
		["上海云图科技有限公司", "yuntu"],
	] as const)
		await post(installation, "/tenants", {
			name,
			slug,
			admin: { username: "admin", email: `admin@${slug}.example`, password: "the first admin of a tenant" },
		});
}

async function addApplications(installation: Installation, userIds: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const [index, [name, description]] of APPLICATIONS.entries()) {
		const host = `https://${name.toLowerCase().replaceAll(" ", "-")}.example.com`;
		const { id } = await post(installation, "/applications", {
			name,
			description,
			redirect_uris: [`${host}/signed-in`, "http://localhost:3000/signed-in"],
		});
		ids.push(id);
		for (const role of ["viewer", "editor"])
			await post(installation, `/applications/${id}/roles`, {
				name: role,
				description: role === "viewer" ? "Reads everything" : "Reads and changes",
				permissions: role === "viewer" ? ["orders:read"] : ["orders:read", "orders:write"],
			});
		for (const userId of userIds.slice(index, index + 6))
			await change(installation, "PUT", `/applications/${id}/grants/users/${userId}`, {
				roles: ["viewer"],
			});
	}
	for (const [index, name] of ["Sales", "Warehouse staff"].entries()) {
		const { id } = await post(installation, "/groups", { name });
		for (const userId of userIds.slice(index * 4, index * 4 + 5))
			await change(installation, "PUT", `/groups/${id}/members/${userId}`, undefined);
		await change(installation, "PUT", `/applications/${ids[index]}/grants/groups/${id}`, {
			roles: ["viewer", "editor"],
		});
	}
	return ids;
}

async function addClients(
	installation: Installation,
	applicationIds: readonly string[],
): Promise<Examples["clients"]> {
	const clients = [];
	for (const [index, name] of ["Nordwind production", "Nordwind staging", "Kiosk"].entries()) {
		const { secret, api_key, tenant_id, app_id, id } = await post<Credentials & { id: string }>(
			installation,
			"/api-clients",
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
	installation: Installation,
	day: number,
	people: readonly { readonly username: string; readonly password: string }[],
	clients: Examples["clients"],
): Promise<void> {
	const isWeekend = day % 7 >= 5;
	for (const [index, { username, password }] of people.entries()) {
		if ((index + day) % (isWeekend ? 5 : 2) !== 0) continue;
		const body = { username, password: index % 6 === 5 ? "mistyped" : password };
		await installation.call("POST", "/api/v1/auth/login", { body });
		installation.clock.advance(HOUR_MS / 4);
	}
	for (const [index, { credentials }] of clients.entries()) {
		for (let call = 0; call < (isWeekend ? 2 : 6 + (day % 4)); call++) {
			const isRefused = index === 2 || (call === 3 && index === 1);
			const used =
				isRefused && index === 1 ? { ...credentials, secret: `${credentials.secret}x` } : credentials;
			await installation.signed(used, "GET", "/api/v1/external/whoami");
			installation.clock.advance(HOUR_MS / 10);
		}
	}
}
