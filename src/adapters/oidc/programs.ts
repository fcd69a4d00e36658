// Programs name themselves by the URL of their document. At each endpoint, the URL stands for the program that was
// reviewed. Nothing is read from the Internet here: the library's own support for such documents would do that.

import Provider, { type Context, type Middleware, type Payload } from "oidc-provider";
import { ALLOWED_RESOURCES_MAX, RESOURCE_MAX } from "../../domain/oauth-client.ts";
import type { ProviderRequest, ProviderResponse } from "../../domain/openid-provider.ts";
import { isInUse, type Program } from "../../domain/program.ts";
import { isProgramUrl, PROGRAM_URL_MAX, programUrlProblem } from "../../domain/program-document.ts";
import { redirectProblem } from "../../domain/redirect-uri.ts";
import { problem } from "../../kernel/field-reason.ts";
import { parseId } from "../../kernel/id.ts";
import { isMembers, parseJson } from "../../kernel/shape.ts";
import { type NamedProgram, theCall } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";

/** How long the page of an unknown program stays valid. */
const ASKED_SECONDS = 3_600;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** Endpoints at which a program names itself. */
const NAMING_ROUTES = [
	"authorization",
	"pushed_authorization_request",
	"token",
	"device_authorization",
	"revocation",
	"introspection",
];

type Parts = Pick<ProviderParts, "db" | "clock" | "issuer" | "randomToken">;

/** Whether a query or form names a client, or has a name with an escape. Others are not parsed. */
export const NAMES_CLIENT = /(?:^|&)(?:client_(?:id|assertion)=|[^=&]*[%+])/;

/** The request with the application in place of the URL, or the response to it. */
type Resolved =
	| { readonly request: ProviderRequest; readonly program?: NamedProgram }
	| { readonly response: ProviderResponse };

/** Returns a request that names no program unchanged; the library refuses it if it must name one. */
export async function resolveProgram(
	parts: Parts,
	records: Records,
	request: ProviderRequest,
): Promise<Resolved> {
	const { pathname } = new URL(request.target, parts.issuer);
	const isQuery = request.method === "GET";
	const text = isQuery ? (request.target.split("?", 2)[1] ?? "") : request.body.toString();
	if (!NAMES_CLIENT.test(text)) return { request };
	const form = new URLSearchParams(text);
	const url = nameIn(form);
	if (url === undefined || (isQuery && pathname !== "/oauth/authorize")) return { request };
	const program = await findNamed(parts, records, { pathname, form, url, request });
	const inUse = program !== undefined && isInUse(program, parts.clock());
	if (pathname === "/oauth/token" && !inUse) return { response: grantRefused() };
	if (pathname === "/oauth/authorize" && !inUse && (await parts.db.stores.tenants.isAnyTakingPrograms()))
		return { response: await askPage(parts, records, url, form) };
	if (program === undefined || (!inUse && pathname !== "/oauth/revoke")) return { request };
	const { applicationId } = program;
	// The name in an assertion is signed: it stays until the signature is verified.
	const isAsserted = form.has("client_assertion");
	if (isAsserted) form.delete("client_id");
	else form.set("client_id", applicationId);
	const renamed = isQuery ? { target: `${pathname}?${form}` } : { body: Buffer.from(form.toString()) };
	return { request: { ...request, ...renamed }, program: { url, applicationId, isAsserted } };
}

/** Undefined without a URL, and for a repeated parameter, which the library refuses. */
function nameIn(form: URLSearchParams): string | undefined {
	const [sent, ...others] = form.getAll("client_id");
	const name = sent ?? claimsIn(form.get("client_assertion")).sub;
	return others.length === 0 && typeof name === "string" && isProgramUrl(name) ? name : undefined;
}

/** Not verified: they say only which program is meant. */
function claimsIn(jwt: string | null): Readonly<Record<string, unknown>> {
	try {
		return parseJson(isMembers, Buffer.from(jwt?.split(".")[1] ?? "", "base64url").toString());
	} catch {
		return {};
	}
}

interface Naming {
	readonly pathname: string;
	readonly form: URLSearchParams;
	readonly url: string;
	readonly request: ProviderRequest;
}

/** Each tenant reviews a URL separately; the endpoint determines whose review counts. */
async function findNamed(parts: Parts, records: Records, naming: Naming): Promise<Program | undefined> {
	const { pathname, form, url, request } = naming;
	const { programs } = parts.db.stores;
	if (url.length > PROGRAM_URL_MAX || programUrlProblem(url) !== undefined) return undefined;
	const issuedTo = await holderOf(records, pathname, form);
	if (issuedTo !== undefined)
		return (await programs.listByUrl(url)).find(({ applicationId }) => applicationId === issuedTo);
	if (pathname === "/oauth/authorize")
		return request.session && (await programs.findByUrl(request.session.tenantId, url));
	if (pathname === "/oauth/par" || pathname === "/oauth/device-authorization")
		return await findOnlyOne(parts, url, form.getAll("resource"));
	return pathname === "/oauth/token" ? await findCarrying(parts, url, form) : undefined;
}

/** Of an ID token, the tenant of its session counts; of an assertion, the one tenant that has the program and the API. */
async function findCarrying(parts: Parts, url: string, form: URLSearchParams): Promise<Program | undefined> {
	const { sessions, programs } = parts.db.stores;
	const { sid } = claimsIn(form.get("subject_token"));
	const sessionId = typeof sid === "string" ? parseId(sid) : undefined;
	if (sessionId !== undefined) {
		const session = await sessions.findById(sessionId);
		return session && (await programs.findByUrl(session.tenantId, url));
	}
	if (!form.has("assertion")) return undefined;
	const asked = form.getAll("resource");
	const asserted = [claimsIn(form.get("assertion")).resource ?? []].flat().map(String);
	return await findOnlyOne(parts, url, asked.length > 0 ? asked : asserted);
}

/** The application to which the sent request URI, code, or token was issued. */
async function holderOf(
	records: Records,
	pathname: string,
	form: URLSearchParams,
): Promise<string | undefined> {
	const find = async (kind: Parameters<Records["find"]>[0], name: string, prefix = "") => {
		const value = form.get(name);
		if (value === null || !value.startsWith(prefix)) return undefined;
		return (await records.find(kind, value.slice(prefix.length)))?.row.clientId ?? undefined;
	};
	if (pathname === "/oauth/authorize")
		return await find("PushedAuthorizationRequest", "request_uri", "urn:ietf:params:oauth:request_uri:");
	if (pathname === "/oauth/revoke")
		return (await find("RefreshToken", "token")) ?? (await find("AccessToken", "token"));
	if (pathname !== "/oauth/token") return undefined;
	return (
		(await find("AuthorizationCode", "code")) ??
		(await find("RefreshToken", "refresh_token")) ??
		(await find("DeviceCode", "device_code"))
	);
}

/** Without a session, the APIs determine the tenant. */
async function findOnlyOne(
	{ db, clock }: Parts,
	url: string,
	resources: readonly string[],
): Promise<Program | undefined> {
	const candidates: Program[] = [];
	for (const program of await db.stores.programs.listByUrl(url)) {
		const client = await db.stores.oauthClients.findPresented(program.applicationId);
		const isAllowed = resources.every((resource) => client?.allowedResources.includes(resource));
		if (isInUse(program, clock()) && isAllowed) candidates.push(program);
	}
	return candidates.length === 1 ? candidates[0] : undefined;
}

/** The page on which people ask for the program, and continue once it is approved. */
async function askPage(
	parts: Parts,
	records: Records,
	url: string,
	form: URLSearchParams,
): Promise<ProviderResponse> {
	const redirectUri = form.get("redirect_uri") ?? "";
	const redirectReason = redirectProblem(redirectUri);
	const defect = programUrlProblem(url);
	if (defect !== undefined) return refusal(`client_id ${defect.message}`);
	if (redirectReason !== undefined) return refusal(`redirect_uri ${problem(redirectReason).message}`);
	const resources = [...new Set(form.getAll("resource"))];
	if (resources.length > ALLOWED_RESOURCES_MAX)
		return refusal(`resource must not have more than ${ALLOWED_RESOURCES_MAX} values`);
	if (resources.some((resource) => resource.length > RESOURCE_MAX || !VISIBLE_ASCII.test(resource)))
		return refusal(`resource must be a URL of at most ${RESOURCE_MAX} characters`);
	const id = parts.randomToken();
	const asked = {
		url,
		redirectUri,
		resources,
		state: form.get("state"),
		query: form.toString(),
	};
	await records.put("AskedProgram", id, asked, ASKED_SECONDS);
	return {
		status: 303,
		headers: { location: `${parts.issuer}/program?request=${id}`, "cache-control": "no-store" },
		body: "",
		refusal: undefined,
		clientId: undefined,
	};
}

function refusal(description: string): ProviderResponse {
	return {
		status: 400,
		headers: { "cache-control": "no-store" },
		body: "",
		refusal: { error: "invalid_request", description },
		clientId: undefined,
	};
}

/** The same error for an unknown program, a suspended one, and a code or token that is unknown or expired. */
function grantRefused(): ProviderResponse {
	const body = { error: "invalid_grant", error_description: "grant request is invalid" };
	return {
		status: 400,
		headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
		body: JSON.stringify(body),
		refusal: undefined,
		clientId: undefined,
	};
}

/** Whether a program may act in this request: named by its URL, or continuing a sign-in, and not suspended. */
export async function mayAct(
	{ db, clock }: Pick<ProviderParts, "db" | "clock">,
	tenantId: string,
	applicationId: string,
): Promise<boolean> {
	const route = Provider.ctx?.oidc?.route ?? "";
	if (theCall().program?.applicationId === applicationId) return true;
	if (NAMING_ROUTES.includes(route)) return false;
	if (route !== "resume") return true;
	const program = await db.stores.programs.find(tenantId, applicationId);
	return program !== undefined && isInUse(program, clock());
}

/** ID tokens and assertions signed with the program's key name the URL; everything stored names the application's id. */
export function nameClients(provider: Provider): void {
	const { Client, IdToken } = provider;
	const { find } = Client;
	const named = new WeakSet<object>();
	Client.find = async function (id) {
		const { program } = theCall();
		const client = await find.call(this, program?.url === id ? program.applicationId : id);
		if (client === undefined || program?.applicationId !== client.clientId || named.has(client))
			return client;
		const { clientId: applicationId } = client;
		named.add(client);
		return Object.defineProperty(client, "clientId", { get: () => theCall().clientName(applicationId) });
	};
	const { issue } = IdToken.prototype;
	IdToken.prototype.issue = function (options) {
		return theCall().withUrl(() => issue.call(this, options));
	};
}

/** The `client_id` of API tokens. */
export function nameInToken(
	_context: Context,
	token: { readonly clientId: string },
	{ payload }: { payload: { client_id: string } },
): void {
	const { program } = theCall();
	if (program?.applicationId === token.clientId) payload.client_id = program.url;
}

/** Once a tenant accepts requests for programs, announces that clients may use URLs as names, and its APIs (RFC 9728, section 4). */
export function announcePrograms({ db }: Pick<ProviderParts, "db">): Middleware {
	return async (context, next) => {
		await next();
		const { oidc, body } = context;
		if (oidc?.route !== "discovery" || !isMembers(body)) return;
		const { tenants, oauthClients } = db.stores;
		if (!(await tenants.isAnyTakingPrograms())) return;
		const resources = await oauthClients.listPublished();
		const announced: Payload = {
			client_id_metadata_document_supported: true,
			...(resources.length > 0 && { protected_resources: resources }),
		};
		context.body = { ...body, ...announced };
	};
}
