// Differences between the kinds of providers.

import type { Schemas } from "../../api/routes.ts";

export type Provider = Schemas["IdentityProvider"];
export type Kind = Provider["kind"];

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

export interface ProviderFields {
	readonly display_name: string;
	readonly client_id: string;
	readonly client_secret: string;
	readonly issuer: string;
	readonly sign_up: boolean;
	/** Saves an issuer that cannot be reached. */
	readonly force: boolean;
	/** For Apple: its secret is derived from these and the private key. */
	readonly team_id: string;
	readonly key_id: string;
}

export const NO_FIELDS: ProviderFields = {
	display_name: "",
	client_id: "",
	client_secret: "",
	issuer: "",
	sign_up: false,
	force: false,
	team_id: "",
	key_id: "",
};

/** The request body. An empty secret is omitted, which keeps the stored one. */
export function bodyOf(kind: Kind, fields: ProviderFields) {
	const { client_secret: secret, team_id, key_id, issuer } = fields;
	const client_secret =
		kind === "apple"
			? JSON.stringify({ team_id: team_id.trim(), key_id: key_id.trim(), private_key: secret })
			: secret;
	return {
		display_name: fields.display_name.trim(),
		client_id: fields.client_id.trim(),
		sign_up: fields.sign_up,
		...(issuerOf(kind) !== "none" && { issuer: issuer.trim() === "" ? null : issuer.trim() }),
		...(secret !== "" && { client_secret }),
		...(fields.force && { force: true }),
	};
}
