// One request to the library, with the state that its hooks share beyond the library's own context.

import { AsyncLocalStorage } from "node:async_hooks";
import Provider, { errors, type Issued, type OidcContext } from "oidc-provider";
import type { LiveOAuthRecord, OAuthGrant, OAuthRecord } from "../../domain/oauth-record.ts";
import type { GrantReuse, ProviderRequest, ProviderResponse } from "../../domain/openid-provider.ts";
import type { Origin } from "../../kernel/origin.ts";

type Refusal = NonNullable<ProviderResponse["refusal"]>;
type Form = NonNullable<ProviderResponse["form"]>;

/** What happens to the grant of the request. A reused code or token revokes it; a refresh token is rotated. */
type GrantStep =
	| { readonly step: "untouched" }
	| { readonly step: "rotating"; readonly refreshToken: string }
	| { readonly step: "reused"; readonly reuse: GrantReuse };

/** How far the client is authenticated. A verified assertion must still be claimed, so that it works once. */
type ClientStep =
	| { readonly step: "unknown" }
	| { readonly step: "asserted"; readonly issuedAtSeconds: number }
	| { readonly step: "counted" };

/** Why the request fails without a redirect. `failed`: the error is thrown instead of the library's response. */
type Outcome =
	| { readonly step: "served" }
	| { readonly step: "refused"; readonly refusal: Refusal }
	| { readonly step: "failed"; readonly error: unknown };

/** A code that a client exchanges for tokens. */
interface ExchangedCode {
	readonly kind: "AuthorizationCode" | "DeviceCode";
	readonly id: string;
	readonly clientId: string;
}

/** The sign-in for which a request gets a token without a code or refresh token. */
interface Continued {
	readonly source: Issued;
	/** Whether the client acts for the user, in the sign-in to another one. */
	readonly isActed: boolean;
}

type Request = Pick<ProviderRequest, "session" | "origin" | "countClient">;

/** A program that names itself by the URL of its document. */
export interface NamedProgram {
	readonly url: string;
	readonly applicationId: string;
	/** Its key signed the name. */
	readonly isAsserted: boolean;
}

export class LibraryCall {
	readonly #request: Request;
	/** The program that the request names. */
	readonly program: NamedProgram | undefined;
	/** The code that is used when the request ends, by one of simultaneous requests. */
	code: ExchangedCode | undefined;
	/** The token that the request presents. */
	presented: { readonly id: string; readonly record: Promise<LiveOAuthRecord | undefined> } | undefined;
	/** The grant of the code or token that the request presents. */
	grant: OAuthGrant | undefined;
	/** Records of the tokens, stored when they are all known. */
	readonly issued: OAuthRecord[] = [];
	#grant: GrantStep = { step: "untouched" };
	#client: ClientStep = { step: "unknown" };
	#outcome: Outcome = { step: "served" };
	#form: Form | undefined;
	#continued: Continued | undefined;
	/** Whether tokens and assertions currently name the program by its URL. */
	#hasUrl: boolean;

	constructor(request: Request, program: NamedProgram | undefined) {
		this.#request = request;
		this.program = program;
		this.#hasUrl = program?.isAsserted ?? false;
	}

	/** The URL of the program while its key authenticates it and while its ID token is signed; otherwise its id. */
	clientName(applicationId: string): string {
		const { program } = this;
		return this.#hasUrl && program?.applicationId === applicationId ? program.url : applicationId;
	}

	async withUrl<T>(work: () => Promise<T>): Promise<T> {
		this.#hasUrl = true;
		return await work().finally(() => {
			this.#hasUrl = false;
		});
	}

	get origin(): Origin {
		return this.#request.origin;
	}

	get session(): Request["session"] {
		return this.#request.session;
	}

	/** The refresh token that this request exchanges for its successor. */
	get rotating(): string | undefined {
		return this.#grant.step === "rotating" ? this.#grant.refreshToken : undefined;
	}

	get reuse(): GrantReuse | undefined {
		return this.#grant.step === "reused" ? this.#grant.reuse : undefined;
	}

	rotate(refreshToken: string): void {
		this.#grant = { step: "rotating", refreshToken };
	}

	/** Call it before the library revokes the grant of a code or token that was reused too late. */
	recordReuse(reuse: GrantReuse): void {
		this.#grant = { step: "reused", reuse };
	}

	acceptAssertion(issuedAtSeconds: number): void {
		this.#hasUrl = false;
		this.#client = { step: "asserted", issuedAtSeconds };
	}

	/** @returns undefined when no assertion waits to be claimed. */
	claimAssertion(): { readonly issuedAtSeconds: number } | undefined {
		if (this.#client.step !== "asserted") return undefined;
		const { issuedAtSeconds } = this.#client;
		this.#client = { step: "unknown" };
		return { issuedAtSeconds };
	}

	/**
	 * Counts the request of a client, once. Call it as soon as the client is authenticated.
	 *
	 * @throws TemporarilyUnavailable, which stops the library; the request then fails as `request.countClient` did.
	 */
	async countClient(clientId: string): Promise<void> {
		if (this.#client.step === "counted") return;
		this.#client = { step: "counted" };
		try {
			await this.#request.countClient(clientId);
		} catch (error) {
			this.fail(error);
			throw new errors.TemporarilyUnavailable("the client sent too many requests");
		}
	}

	get continued(): Continued | undefined {
		return this.#continued;
	}

	/** The access token of a person that this request exchanges for another (RFC 8693). */
	exchange(source: Issued): void {
		this.#continued = { source, isActed: true };
	}

	/** The sign-in by an assertion (RFC 7523). */
	assert(source: Issued): void {
		this.#continued = { source, isActed: false };
	}

	get form(): Form | undefined {
		return this.#form;
	}

	/** Responds with a form that the browser posts. */
	post(form: Form): void {
		this.#form = form;
	}

	/** The first error counts: the library may fail again while it writes its response. */
	fail(error: unknown): void {
		if (this.#outcome.step !== "failed") this.#outcome = { step: "failed", error };
	}

	refuse(refusal: Refusal): void {
		if (this.#outcome.step !== "failed") this.#outcome = { step: "refused", refusal };
	}

	withdrawRefusal(): void {
		if (this.#outcome.step === "refused") this.#outcome = { step: "served" };
	}

	/** @throws the error of `fail`. */
	refusal(): Refusal | undefined {
		if (this.#outcome.step === "failed") throw this.#outcome.error;
		return this.#outcome.step === "refused" ? this.#outcome.refusal : undefined;
	}
}

const current = new AsyncLocalStorage<LibraryCall>();

export function withinCall<T>(call: LibraryCall, work: () => Promise<T>): Promise<T> {
	return current.run(call, work);
}

/** @throws Error outside of a request. */
export function theCall(): LibraryCall {
	const call = current.getStore();
	if (call === undefined) throw new Error("the OpenID provider was used outside of a request");
	return call;
}

export function continuedSignIn(): Continued | undefined {
	return current.getStore()?.continued;
}

export function browserSession(): Request["session"] {
	return current.getStore()?.session;
}

/** Asking for a token of each kind finds its record once. */
export function findOnce(
	id: string,
	find: () => Promise<LiveOAuthRecord | undefined>,
): Promise<LiveOAuthRecord | undefined> {
	const call = current.getStore();
	if (call === undefined) return find();
	if (call.presented?.id !== id) call.presented = { id, record: find() };
	return call.presented.record;
}

/** Spares the request to find the grant of a code or token again. */
export function noteGrant(grant: OAuthGrant | undefined): void {
	const call = current.getStore();
	if (call !== undefined && grant !== undefined) call.grant = grant;
}

/** @throws Error before the library has found the endpoint. */
export function currentRequest(): OidcContext {
	const { oidc } = Provider.ctx ?? {};
	if (oidc === undefined) throw new Error("the library has not found the endpoint yet");
	return oidc;
}
