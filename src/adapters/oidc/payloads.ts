// What the library stores of each model, as far as it is read here; all other members pass through unchanged.

import type { Issued, Params } from "oidc-provider";
import { OAUTH_RECORD_KINDS, type OAuthRecordKind } from "../../domain/oauth-record.ts";
import type { RequestedSignOut } from "../../domain/openid-provider.ts";
import type { AskedProgram } from "../../domain/program-request.ts";
import {
	either,
	isMembers,
	isNumber,
	isText,
	listOf,
	type Members,
	objectOf,
	oneOf,
	optional,
	orNull,
	parseJson,
	type Shape,
} from "../../kernel/shape.ts";

interface DevicePayload {
	readonly clientId: string;
	readonly params: Params;
	readonly deviceInfo: { readonly ip: string };
}

interface InteractionPayload {
	readonly params: Params;
	/** The decision of the user; undefined before. */
	readonly result: Members | undefined;
}

export interface Payloads {
	readonly Interaction: InteractionPayload & Members;
	readonly AuthorizationCode: Issued & Members;
	readonly AccessToken: Issued & Members;
	readonly RefreshToken: Issued & Members;
	readonly ClientCredentials: Members;
	readonly PushedAuthorizationRequest: Members;
	readonly ReplayDetection: Members;
	readonly DeviceCode: DevicePayload & Members;
	readonly SignOut: RequestedSignOut & Members;
	readonly AskedProgram: AskedProgram & Members;
}

const isOptionalText = optional(isText);
const isResource = optional(either(isText, listOf(isText)));

const isParams = objectOf<Params>({
	acr_values: isOptionalText,
	client_assertion: isOptionalText,
	client_id: isOptionalText,
	code_verifier: isOptionalText,
	grant_type: isOptionalText,
	login_hint: isOptionalText,
	nonce: isOptionalText,
	redirect_uri: isOptionalText,
	resource: isResource,
	scope: isOptionalText,
	state: isOptionalText,
	token: isOptionalText,
	ui_locales: isOptionalText,
});

const isIssued = objectOf<Issued>({
	accountId: isOptionalText,
	acr: isOptionalText,
	amr: optional(listOf(isText)),
	authTime: optional(isNumber),
	clientId: isOptionalText,
	grantId: isOptionalText,
	resource: isResource,
	scope: isOptionalText,
});

const SHAPES: { readonly [Kind in OAuthRecordKind]: Shape<Payloads[Kind]> } = {
	Interaction: objectOf<InteractionPayload>({ params: isParams, result: optional(isMembers) }),
	AuthorizationCode: isIssued,
	AccessToken: isIssued,
	RefreshToken: isIssued,
	ClientCredentials: isMembers,
	PushedAuthorizationRequest: isMembers,
	ReplayDetection: isMembers,
	DeviceCode: objectOf<DevicePayload>({
		clientId: isText,
		params: isParams,
		deviceInfo: objectOf({ ip: isText }),
	}),
	AskedProgram: objectOf<AskedProgram>({
		url: isText,
		redirectUri: isText,
		resources: listOf(isText),
		state: orNull(isText),
		query: isText,
	}),
	SignOut: objectOf<RequestedSignOut>({
		clientId: orNull(isText),
		redirectTo: orNull(isText),
		logoutHint: isText,
		uiLocales: listOf(isText),
	}),
};

export const isRecordKind = oneOf(OAUTH_RECORD_KINDS);

/** @param json unsealed. @throws TypeError when the payload is not one of the model. */
export function decodePayload<Kind extends OAuthRecordKind>(kind: Kind, json: string): Payloads[Kind] {
	return parseJson<Payloads[Kind]>(SHAPES[kind], json);
}
