// Differences between the kinds of providers.

import type { Schemas } from "../../api/routes.ts";
import { linesOf } from "../../ui/text-area.tsx";
import type { WordsOf } from "../../words/words.ts";
import { keysIn, keysText } from "../openid/key-set.ts";

export type Provider = Schemas["IdentityProvider"];
export type Kind = Provider["kind"];
export type Use = Provider["uses"][number];

/** What an issuer of kind `oidc` can be used for; the other kinds sign people in. */
export const USES: readonly Use[] = ["sign_in", "workloads", "assertions"];

/** Where the keys are with which an issuer vouches for workloads or people. */
export const KEY_PLACES = ["document", "address", "here"] as const;

export const KINDS: readonly Kind[] = [
	"google",
	"microsoft",
	"apple",
	"github",
	"gitlab",
	"wechat",
	"feishu",
	"dingtalk",
	"oidc",
];

/** Whether providers of the kind have their own issuer; `none`: the kind has a fixed one. */
export function issuerOf(kind: Kind): "required" | "optional" | "none" {
	if (kind === "oidc") return "required";
	return ["microsoft", "github", "gitlab", "feishu"].includes(kind) ? "optional" : "none";
}

export type ProviderFields = Readonly<typeof NO_FIELDS>;

export const NO_FIELDS = {
	display_name: "",
	uses: ["sign_in"] as readonly Use[],
	client_id: "",
	client_secret: "",
	issuer: "",
	sign_up: false,
	/** Saves an issuer that cannot be reached. */
	force: false,
	/** For Apple: its secret is derived from these and the private key. */
	team_id: "",
	key_id: "",
	keys_place: "document" as (typeof KEY_PLACES)[number],
	jwks_uri: "",
	/** JSON. */
	jwks: "",
	audience: "",
	subject_claim: "sub" as Provider["subject_claim"],
	/** One per line. */
	mfa_acr: "",
	/** Undefined for a new one: what it is used for decides. */
	email_domains: undefined as Provider["email_domains"] | undefined,
};

/** As typed. */
export function fieldsOf(provider: Provider): ProviderFields {
	const { display_name, uses, sign_up, jwks_uri, jwks } = provider;
	return {
		...NO_FIELDS,
		display_name,
		uses,
		sign_up,
		client_id: provider.client_id ?? "",
		issuer: provider.issuer ?? "",
		keys_place: jwks !== null ? "here" : jwks_uri !== null ? "address" : "document",
		jwks_uri: jwks_uri ?? "",
		jwks: keysText(jwks),
		audience: provider.audience ?? "",
		subject_claim: provider.subject_claim,
		mfa_acr: provider.mfa_acr.join("\n"),
		email_domains: provider.email_domains,
	};
}

/** Whether people come from it: they sign in there, or it asserts who they are. */
export function namesPeople({ uses }: Pick<ProviderFields, "uses">): boolean {
	return uses.some((use) => use !== "workloads");
}

/** Entra ID names a person differently at each application, unless its object id is used. */
export function hasSubjectClaim(kind: Kind, fields: Pick<ProviderFields, "uses">): boolean {
	return (kind === "oidc" || kind === "microsoft") && namesPeople(fields);
}

export function signsIn({ uses }: Pick<ProviderFields, "uses">): boolean {
	return uses.includes("sign_in");
}

/** Whether this service verifies tokens with the keys of the issuer. */
export function vouches({ uses }: Pick<ProviderFields, "uses">): boolean {
	return uses.some((use) => use !== "sign_in");
}

/** What is missing or unreadable, before the API checks it. */
export function providerProblems(
	{ uses, keys_place, jwks_uri, jwks, ...fields }: ProviderFields,
	t: WordsOf<"console-settings">["providers"],
): Record<string, string> {
	const found: Record<string, string> = {};
	if (uses.length === 0) found.uses = t.usesMissing;
	if (vouches({ uses })) {
		if (fields.issuer.trim() === "") found.issuer = t.issuerMissing;
		if (keys_place === "address" && jwks_uri.trim() === "") found.jwks_uri = t.keyAddressMissing;
		if (keys_place === "here" && keysIn(jwks) === undefined) found.jwks = t.keysUnreadable;
	}
	return found;
}

/** The request body. An empty secret is omitted, which keeps the stored one. Call only without `providerProblems`. */
export function bodyOf(kind: Kind, fields: ProviderFields) {
	const { client_secret: secret, team_id, key_id, issuer } = fields;
	const client_secret =
		kind === "apple"
			? JSON.stringify({ team_id: team_id.trim(), key_id: key_id.trim(), private_key: secret })
			: secret;
	return {
		display_name: fields.display_name.trim(),
		...(signsIn(fields) && { client_id: fields.client_id.trim() }),
		sign_up: signsIn(fields) && fields.sign_up,
		...(kind === "oidc" && trustOf(fields)),
		...(hasSubjectClaim(kind, fields) && { subject_claim: fields.subject_claim }),
		...(fields.email_domains !== undefined && { email_domains: fields.email_domains }),
		...(issuerOf(kind) !== "none" && { issuer: issuer.trim() === "" ? null : issuer.trim() }),
		...(signsIn(fields) && secret !== "" && { client_secret }),
		...(fields.force && { force: true }),
	};
}

/** What the issuer is trusted for; a use that ends takes its fields with it. */
function trustOf(fields: ProviderFields) {
	const { uses, keys_place, jwks_uri, jwks, audience } = fields;
	const place = vouches(fields) ? keys_place : undefined;
	return {
		uses: [...uses],
		jwks_uri: place === "address" ? jwks_uri.trim() : null,
		jwks: place === "here" ? (keysIn(jwks) ?? null) : null,
		audience: uses.includes("workloads") && audience.trim() !== "" ? audience.trim() : null,
		mfa_acr: uses.includes("assertions") ? linesOf(fields.mfa_acr) : [],
	};
}
