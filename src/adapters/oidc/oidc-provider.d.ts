// The part of oidc-provider that is used here; the library has no types of its own.

declare module "oidc-provider" {
	import type { IncomingMessage, ServerResponse } from "node:http";

	export type Payload = Readonly<Record<string, unknown>>;

	/** Request parameters that are read here. The library refuses repeated ones, except `resource`. */
	export interface Params {
		readonly acr_values: string | undefined;
		readonly client_assertion: string | undefined;
		readonly client_id: string | undefined;
		readonly code_verifier: string | undefined;
		readonly grant_type: string | undefined;
		readonly login_hint: string | undefined;
		readonly nonce: string | undefined;
		readonly redirect_uri: string | undefined;
		readonly resource: string | readonly string[] | undefined;
		/** Assignable: corrects what the library removes or refuses. */
		scope: string | undefined;
		readonly state: string | undefined;
		readonly token: string | undefined;
		readonly ui_locales: string | undefined;
	}

	/** Also those of a token exchange (RFC 8693, section 2.1), and of an assertion (RFC 7521, section 4.1). */
	export interface RequestParams extends Params {
		readonly assertion: string | undefined;
		readonly audience: string | undefined;
		readonly actor_token: string | undefined;
		readonly actor_token_type: string | undefined;
		readonly requested_token_type: string | undefined;
		readonly subject_token: string | undefined;
		readonly subject_token_type: string | undefined;
	}

	/** Members of stored codes and tokens that are read here. */
	export interface Issued {
		readonly accountId: string | undefined;
		readonly acr: string | undefined;
		readonly amr: readonly string[] | undefined;
		readonly authTime: number | undefined;
		readonly clientId: string | undefined;
		readonly grantId: string | undefined;
		readonly resource: string | readonly string[] | undefined;
		readonly scope: string | undefined;
	}

	/** A code or token in use. */
	export interface Token extends Issued {
		readonly kind: string;
		readonly aud: string | readonly string[] | undefined;
		readonly consumed: unknown;
	}

	export interface Adapter {
		upsert(id: string, payload: Payload, expiresInSeconds: number): Promise<void>;
		find(id: string): Promise<Payload | undefined>;
		findByUid(uid: string): Promise<Payload | undefined>;
		findByUserCode(userCode: string): Promise<Payload | undefined>;
		consume(id: string): Promise<void>;
		destroy(id: string): Promise<void>;
		revokeByGrantId(grantId: string): Promise<void>;
	}

	export interface Client {
		readonly clientId: string;
		readonly clientAuthMethod: string;
		readonly redirectUris: readonly string[];
		readonly grantTypes: readonly string[];
		readonly responseModes: readonly string[];
		/** Extensions of Latchkey (`client-metadata.ts`). */
		readonly pkce_policy: string;
		readonly client_profile: string;
		readonly secret_digests: readonly string[];
	}

	export interface Grant {
		readonly jti: string;
		addOIDCScope(scope: string): void;
		addResourceScope(resource: string, scope: string): void;
		/** The granted scopes of the API among these, separated by spaces. */
		getResourceScopeFiltered(resource: string, scopes: readonly string[]): string;
		save(): Promise<string>;
	}

	export interface InteractionModel {
		readonly uid: string;
		readonly iat: number;
		readonly exp: number;
		readonly params: Params;
		readonly prompt: { readonly name: string; readonly reasons: readonly string[] };
		readonly returnTo: string;
		readonly lastSubmission: Payload | undefined;
		session: Payload | undefined;
		result: Payload | undefined;
		save(seconds: number): Promise<string>;
	}

	export interface OidcContext {
		readonly route: string;
		readonly client: Client | undefined;
		readonly session: { readonly accountId: string | undefined };
		/** Undefined before the library has read them. */
		readonly params: RequestParams;
		readonly grant: Grant;
		readonly prompts: ReadonlySet<string>;
		readonly requestParamOIDCScopes: ReadonlySet<string>;
		readonly requestParamScopes: ReadonlySet<string>;
		readonly resourceServers: Readonly<Record<string, { readonly scopes: ReadonlySet<string> }>>;
		readonly entities: {
			readonly Account?: { claims(use: string, scope: string): Promise<Payload> };
			readonly AuthorizationCode?: Token;
			readonly DeviceCode?: Token;
			readonly Grant?: Grant;
			readonly RefreshToken?: Token;
		};
		readonly provider: Provider;
		/** The issuer, the token endpoint, and the endpoint of this request. */
		clientJwtAuthExpectedAudience(): ReadonlySet<unknown>;
	}

	/** A request before the library has found its endpoint; one without an endpoint never gets `oidc`. */
	export interface BareContext {
		readonly req: IncomingMessage;
		readonly oidc?: OidcContext;
		readonly response: { readonly headers: Record<string, string | string[] | number> };
		status: number;
		body: unknown;
		type: string;
		redirect(location: string): void;
	}

	export interface Context extends BareContext {
		readonly oidc: OidcContext;
	}

	export type Middleware = (context: BareContext, next: () => Promise<void>) => Promise<void>;

	export interface ProviderFault extends Error {
		readonly error?: string;
		readonly error_description?: string;
		readonly error_detail?: string;
	}

	export interface NewAccessToken {
		resourceServer: object;
		scope: string | undefined;
		readonly tokenType: string;
		/** Returns the token. */
		save(): Promise<string>;
	}

	/** Sends an authorization response to a redirect URI. */
	export type Respond = (context: Context, redirectUri: string, parameters: Payload) => void;

	interface Model {
		readonly prototype: Record<string, unknown>;
	}

	interface ClientModel {
		/** Replaceable: it maps the URL of a program to its application. */
		find(id: string): Promise<Client | undefined>;
		readonly prototype: Record<string, unknown> & {
			responseModeAllowed(
				mode: string | undefined,
				responseType: string | undefined,
				profile: unknown,
			): boolean;
			redirectUriAllowed(uri: string): boolean;
		};
	}

	export type GrantHandler = (context: Context) => Promise<void>;
	export type ParameterNames = readonly string[] | ReadonlySet<string>;

	export class Provider {
		constructor(issuer: string, configuration: Payload);
		/** The context of the current request. */
		static readonly ctx: { readonly req: IncomingMessage; readonly oidc?: OidcContext } | undefined;
		readonly middleware: readonly Middleware[];
		use(middleware: Middleware): this;
		/** The constructor calls it for each response mode, `query` first. */
		registerResponseMode(name: string, respond: Respond): void;
		/** The constructor calls it for its own. The library accepts these parameters, and some of them repeatedly. */
		registerGrantType(name: string, handler: GrantHandler, ...parameters: readonly ParameterNames[]): void;
		createContext(request: IncomingMessage, response: ServerResponse): BareContext;
		on(event: string, listener: (context: Context, error: ProviderFault) => void): this;
		readonly AccessToken: new (
			fields: Payload,
		) => NewAccessToken;
		readonly ResourceServer: new (
			resource: string,
			fields: Payload,
		) => object;
		readonly Client: ClientModel;
		readonly Session: Model;
		readonly RefreshToken: Model;
		readonly ReplayDetection: {
			/** Whether a proof was not used before. */
			unique: (issuer: string, jti: string, expiresAt: number) => Promise<boolean>;
		};
		readonly Grant: new (
			fields: Payload,
		) => Grant;
		readonly IdToken: {
			readonly prototype: {
				/** From the account. */
				readonly available: Payload;
				set(name: string, value: unknown): void;
				issue(options: Payload): Promise<string>;
			};
			/** Signature, issuer, audience and subject, not the time. */
			validate(
				idToken: string,
				client: { readonly clientId: string; readonly idTokenSignedResponseAlg: string },
			): Promise<{ readonly payload: Payload }>;
		};
		readonly Interaction: { find(id: string): Promise<InteractionModel | undefined> };
	}

	type CheckTest = (context: Context) => boolean | Promise<boolean>;

	class Check {
		constructor(reason: string, description: string, error: string, test: CheckTest);
	}
	class Checks {
		/** Present: `library-contract.ts`. */
		get(reason: "native_client_prompt"): { check: CheckTest };
		add(check: Check): void;
	}
	class Prompt {
		constructor(options: { name: string; requestable: boolean }, ...checks: Check[]);
		readonly checks: Checks;
	}
	interface Policy {
		/** Present: `library-contract.ts`. */
		get(name: "login" | "consent"): Prompt;
		add(prompt: Prompt, index?: number): void;
	}

	export const interactionPolicy: { Check: typeof Check; Prompt: typeof Prompt; base(): Policy };
	export const errors: {
		InvalidClientAuth: new (detail: string) => Error;
		InvalidDpopProof: new (description: string) => Error;
		InvalidGrant: new (description: string) => Error;
		InvalidRequestUri: new (description: string) => Error;
		InvalidRequest: new (description: string) => Error;
		InvalidScope: new (description: string, scope: string) => Error;
		SlowDown: new (description?: string) => Error;
		InvalidTarget: new (description?: string) => Error;
		TemporarilyUnavailable: new (description?: string) => Error;
		AccessDenied: new (description?: string, detail?: string) => Error;
		UnauthorizedClient: new (description: string) => Error;
		/** The base of all; `error` is the code of the response. */
		OIDCProviderError: abstract new (
			...parameters: never
		) => Error & { readonly error: string };
	};
	export default Provider;
}

declare module "oidc-provider/lib/helpers/validate_dpop.js" {
	import type Provider from "oidc-provider";
	import type { Context } from "oidc-provider";

	/** Undefined without a proof. @throws InvalidDpopProof */
	export default function validateDpop(provider: Provider, context: Context): Promise<object | undefined>;
}

declare module "oidc-provider/lib/helpers/grant_common.js" {
	import type Provider from "oidc-provider";
	import type { Context, NewAccessToken } from "oidc-provider";

	/** Uses the proof once, and binds the token to its key. @throws InvalidDpopProof */
	export function applyDpopBinding(
		provider: Provider,
		context: Context,
		proof: object | undefined,
		token: NewAccessToken,
	): Promise<void>;
}
