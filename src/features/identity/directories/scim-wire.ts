// Requests and responses of SCIM, and their record.

import {
	type DirectoryGroup,
	type DirectoryPerson,
	directoryUrl,
	GROUP_ATTRIBUTES,
	MEMBERS_MAX,
	PERSON_ATTRIBUTES,
	RESOURCES_PER_PAGE,
	resourceNotFound,
	SCIM_TYPE,
	type ScimAttributes,
} from "../../../domain/directory.ts";
import { checkSearchable, parseFilter, type ScimFilter } from "../../../domain/scim-filter.ts";
import { parseJsonBody } from "../../../http/run/body.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import type { MountResponse } from "../../../http/run/mount.ts";
import { STATUS_OF_KIND } from "../../../http/run/reply.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId, parseId } from "../../../kernel/id.ts";
import { isMembers } from "../../../kernel/shape.ts";
import type { Platform } from "../../platform.ts";
import type { DirectoryCaller } from "./directory-caller.ts";
import { mailLastAdmin } from "./mail-last-admin.ts";
import { createGroup, patchGroup, removeGroup, replaceGroup } from "./provision-group.ts";
import { changePerson, createPerson, removePerson } from "./provision-person.ts";
import type { DirectoryEventRecorder } from "./record-events.ts";
import { RESOURCE_TYPES, resourceTypes, SCHEMAS, serviceProviderConfig } from "./scim-documents.ts";
import { applyOperations, readOperations } from "./scim-patch.ts";
import { checkDepth, GROUP_SCHEMA, readResource, USER_SCHEMA } from "./scim-person.ts";

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const CONTENT_TYPE = /^application\/(?:scim\+)?json\s*(?:;|$)/i;
const BODY_DEPTH_MAX = 12;
/** Of a recorded body. */
const RECORDED_MAX = 2_000;
const PATH_MAX = 500;

interface Answer {
	readonly status: 200 | 201 | 204;
	readonly body?: Readonly<Record<string, unknown>>;
	/** The user that the request concerns. */
	readonly userId?: string | undefined;
	readonly location?: string;
}

/** @throws AppError, in the form of SCIM; it is recorded too. */
export async function respondScim(
	platform: Platform,
	events: DirectoryEventRecorder,
	request: Incoming,
	caller: DirectoryCaller,
): Promise<MountResponse> {
	const record = recorder(platform, events, request, caller);
	let sent: unknown;
	try {
		const body = parseJsonBody(request.rawBody, request.contentType, CONTENT_TYPE);
		checkDepth(body, BODY_DEPTH_MAX);
		sent = body;
		const answer = await new Scim(platform, request, caller).answer(sent);
		const { status, body: answered, userId, location } = answer;
		record({ status, detail: "", sent, answered, userId });
		if (answered === undefined) return { status, headers: {}, body: "" };
		const headers = { "content-type": SCIM_TYPE, ...(location !== undefined && { location }) };
		return { status, headers, body: JSON.stringify(answered) };
	} catch (error) {
		if (error instanceof AppError) {
			const { kind, message: detail, code } = error;
			const userId = await concerned(platform, request, caller);
			record({ status: STATUS_OF_KIND[kind], code, detail, sent, userId });
			if (code === "user.last_admin") await mailLastAdmin(platform, caller);
		}
		throw error;
	}
}

/** The person whom a refused request names, with whom its record is deleted. */
async function concerned(
	{ db }: Platform,
	{ path }: Incoming,
	{ tenantId, directory: { issuerId } }: DirectoryCaller,
): Promise<string | undefined> {
	const [type, id = ""] = path.split("/").slice(4);
	const userId = type === "Users" ? parseId(id) : undefined;
	return userId && (await db.stores.directoryPeople.find(tenantId, issuerId, userId))?.userId;
}

class Scim {
	readonly #platform: Platform;
	readonly #request: Incoming;
	readonly #caller: DirectoryCaller;
	readonly #query: URLSearchParams;
	readonly #base: string;

	constructor(platform: Platform, request: Incoming, caller: DirectoryCaller) {
		this.#platform = platform;
		this.#request = request;
		this.#caller = caller;
		this.#query = new URLSearchParams(request.queryText);
		this.#base = directoryUrl(platform.publicUrl, { id: caller.directory.issuerId });
	}

	async answer(sent: unknown): Promise<Answer> {
		const [type = "", id] = this.#request.path.split("/").slice(4);
		if (type === "ServiceProviderConfig") return { status: 200, body: serviceProviderConfig(this.#base) };
		if (type === "Schemas") return listed(SCHEMAS);
		if (type === "ResourceTypes") return listed(resourceTypes(this.#base));
		if (type === "Users")
			return await (id === undefined ? this.#people(sent) : this.#person(known(id), sent));
		return await (id === undefined ? this.#groups(sent) : this.#group(known(id), sent));
	}

	async #people(sent: unknown): Promise<Answer> {
		const { directoryPeople } = this.#platform.db.stores;
		if (this.#request.method === "POST") {
			const created = await createPerson(this.#platform, readResource(sent, USER_SCHEMA), this.#caller);
			return this.#ofPerson(created, 201);
		}
		const query = this.#listQuery(PERSON_ATTRIBUTES);
		const { items, total } = await directoryPeople.list(query);
		const resources = items.map((person) => this.#select(this.#toPerson(person)));
		const [only, ...others] = items;
		return {
			...listed(resources, total, query.offset),
			userId: others.length === 0 ? only?.userId : undefined,
		};
	}

	async #person(id: string, sent: unknown): Promise<Answer> {
		const platform = this.#platform;
		const caller = this.#caller;
		const { tenantId, directory } = caller;
		switch (this.#request.method) {
			case "PUT": {
				const resource = readResource(sent, USER_SCHEMA);
				return this.#ofPerson(await changePerson(platform, id, () => resource, caller));
			}
			case "PATCH": {
				const operations = readOperations(sent);
				const patch = (before: ScimAttributes) => applyOperations(before, operations);
				return this.#ofPerson(await changePerson(platform, id, patch, caller));
			}
			case "DELETE":
				await removePerson(platform, id, caller);
				return { status: 204 };
			default: {
				const stored = await platform.db.stores.directoryPeople.find(tenantId, directory.issuerId, id);
				return this.#ofPerson(found(stored, () => resourceNotFound(id)));
			}
		}
	}

	#ofPerson(person: DirectoryPerson, status: 200 | 201 = 200): Answer {
		const location = this.#location("Users", person.userId);
		return { status, body: this.#select(this.#toPerson(person)), userId: person.userId, location };
	}

	async #groups(sent: unknown): Promise<Answer> {
		if (this.#request.method === "POST") {
			const created = await createGroup(this.#platform, readResource(sent, GROUP_SCHEMA), this.#caller);
			return await this.#ofGroup(created, 201);
		}
		const query = this.#listQuery(GROUP_ATTRIBUTES);
		const { items, total } = await this.#platform.db.stores.directoryPeople.listGroups(query);
		const resources: Readonly<Record<string, unknown>>[] = [];
		let members = 0;
		for (const group of items) {
			const resource = await this.#toGroup(group);
			members += resource.members?.length ?? 0;
			// A response stays small: ask for the members of one group, or leave them out.
			if (members > MEMBERS_MAX)
				throw new AppError(
					"scim.invalid_value",
					"the groups have too many members: use excludedAttributes=members",
				);
			resources.push(this.#select(resource));
		}
		return listed(resources, total, query.offset);
	}

	async #group(id: string, sent: unknown): Promise<Answer> {
		const platform = this.#platform;
		const caller = this.#caller;
		const { tenantId, directory } = caller;
		switch (this.#request.method) {
			case "PUT":
				return this.#ofGroup(await replaceGroup(platform, id, readResource(sent, GROUP_SCHEMA), caller));
			case "PATCH":
				return this.#ofGroup(await patchGroup(platform, id, readOperations(sent), caller));
			case "DELETE":
				await removeGroup(platform, id, caller);
				return { status: 204 };
			default: {
				const stored = await platform.db.stores.directoryPeople.findGroup(tenantId, directory.issuerId, id);
				return await this.#ofGroup(found(stored, () => resourceNotFound(id)));
			}
		}
	}

	async #ofGroup(group: DirectoryGroup, status: 200 | 201 = 200): Promise<Answer> {
		const location = this.#location("Groups", group.groupId);
		return { status, body: this.#select(await this.#toGroup(group)), location };
	}

	/** @throws AppError `scim.invalid_filter`, `scim.invalid_value`. */
	#listQuery(attributes: typeof PERSON_ATTRIBUTES | typeof GROUP_ATTRIBUTES) {
		const { tenantId, directory } = this.#caller;
		const text = this.#query.get("filter");
		const filter: ScimFilter | undefined = text === null ? undefined : parseFilter(text);
		if (filter !== undefined) checkSearchable(filter, attributes);
		const count = Math.min(Math.max(this.#number("count", RESOURCES_PER_PAGE), 0), RESOURCES_PER_PAGE);
		const offset = Math.max(this.#number("startIndex", 1), 1) - 1;
		return { tenantId, issuerId: directory.issuerId, filter, offset, count };
	}

	/** RFC 7644, section 3.4.2.4: smaller values mean the smallest. */
	#number(name: string, fallback: number): number {
		const text = this.#query.get(name) ?? String(fallback);
		if (!/^-?[0-9]{1,9}$/.test(text))
			throw new AppError("scim.invalid_value", `${name} must be a whole number`);
		return Number(text);
	}

	#toPerson({ userId, attributes, createdAtMs, updatedAtMs }: DirectoryPerson) {
		const schemas = [USER_SCHEMA, ...Object.keys(attributes).filter((name) => name.startsWith("urn:"))];
		const meta = this.#meta("Users", userId, createdAtMs, updatedAtMs);
		return { schemas, id: userId, ...attributes, meta };
	}

	async #toGroup({ groupId, displayName, externalId, createdAtMs, updatedAtMs }: DirectoryGroup) {
		const { tenantId, directory } = this.#caller;
		const { directoryPeople } = this.#platform.db.stores;
		const isShown = this.#shows("members");
		const ids = isShown
			? await directoryPeople.listMembers(tenantId, directory.issuerId, groupId)
			: undefined;
		const meta = this.#meta("Groups", groupId, createdAtMs, updatedAtMs);
		return {
			schemas: [GROUP_SCHEMA],
			id: groupId,
			displayName,
			...(externalId !== "" && { externalId }),
			...(ids && { members: ids.map((value) => ({ value, $ref: this.#location("Users", value) })) }),
			meta,
		};
	}

	#meta(type: keyof typeof RESOURCE_TYPES, id: string, createdAtMs: number, updatedAtMs: number) {
		return {
			resourceType: RESOURCE_TYPES[type],
			created: isoTime(createdAtMs),
			lastModified: isoTime(updatedAtMs),
			location: this.#location(type, id),
		};
	}

	#location(type: keyof typeof RESOURCE_TYPES, id: string): string {
		return `${this.#base}/${type}/${id}`;
	}

	/** `attributes` and `excludedAttributes` name whole attributes; `schemas` and `id` are always shown. */
	#select(resource: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
		return Object.fromEntries(Object.entries(resource).filter(([name]) => this.#shows(name)));
	}

	#shows(name: string): boolean {
		const lower = name.toLowerCase();
		if (lower === "schemas" || lower === "id") return true;
		const only = this.#names("attributes");
		if (only !== undefined) return only.some((each) => each === lower || each.startsWith(`${lower}.`));
		return this.#names("excludedAttributes")?.includes(lower) !== true;
	}

	#names(parameter: string): string[] | undefined {
		const text = this.#query.get(parameter);
		return text === null ? undefined : text.split(",").map((name) => name.trim().toLowerCase());
	}
}

/** @throws AppError `scim.not_found` for a malformed id. */
function known(id: string): string {
	return found(parseId(id), () => resourceNotFound(id));
}

function listed(resources: readonly unknown[], totalResults = resources.length, offset = 0): Answer {
	const place = { totalResults, startIndex: offset + 1, itemsPerPage: resources.length };
	return { status: 200, body: { schemas: [LIST_SCHEMA], ...place, Resources: resources } };
}

interface Recorded {
	readonly status: number;
	readonly code?: string;
	readonly detail: string;
	readonly sent: unknown;
	readonly answered?: ScimAttributes | undefined;
	readonly userId: string | undefined;
}

function recorder(
	{ clock, statistics }: Platform,
	events: DirectoryEventRecorder,
	request: Incoming,
	{ tenantId, directory: { issuerId } }: DirectoryCaller,
) {
	return ({ status, code, detail, sent, answered, userId }: Recorded): void => {
		const atMs = clock();
		if (code === undefined) statistics.count(tenantId, "directory_request");
		else statistics.count(tenantId, "directory_request_refused", code);
		events.record({
			id: newId(atMs),
			tenantId,
			issuerId,
			atMs,
			method: request.method,
			path: recordedPath(request, userId !== undefined),
			status,
			detail: detail.replaceAll("\0", "").slice(0, PATH_MAX),
			sent: recordedBody(sent),
			answered: recordedBody(answered),
			userId: userId ?? null,
			requestId: request.requestId,
		});
	};
}

/** Values in a filter that found no user, or several, are left out: they are not deleted with a user. */
function recordedPath({ path, queryText }: Incoming, isOfUser: boolean): string {
	const query = decodeURIComponent(safely(queryText).replaceAll("+", " "));
	const shown = isOfUser ? query : query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"');
	return `${path.split("/").slice(4).join("/")}${shown}`.replaceAll("\0", "").slice(0, PATH_MAX);
}

/** Malformed escapes stay as they are. */
function safely(queryText: string): string {
	try {
		decodeURIComponent(queryText);
		return queryText;
	} catch {
		return encodeURIComponent(queryText);
	}
}

/** Without passwords and without the names of members; of a list, only the counts. */
function recordedBody(body: unknown): string {
	if (body === undefined) return "";
	const isHidden = (name: string): boolean => /^display$|(?:^|[:.])password$/i.test(name);
	const shown = isMembers(body) && "totalResults" in body ? { ...body, Resources: undefined } : body;
	const text = JSON.stringify(shown, (name, value: unknown) => {
		if (isHidden(name)) return undefined;
		const isOfPassword = isMembers(value) && typeof value.path === "string" && isHidden(value.path.trim());
		return isOfPassword ? { ...value, value: undefined } : value;
	});
	return text.replaceAll("\0", "").toWellFormed().slice(0, RECORDED_MAX);
}
