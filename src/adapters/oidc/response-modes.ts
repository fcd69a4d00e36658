// How authorization responses return to clients: only in a response mode that the client may use.

import Provider, { type Respond } from "oidc-provider";
import { theCall } from "./library-call.ts";

const inQuery: Respond = (context, redirectUri, parameters) => {
	const target = new URL(redirectUri);
	for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, String(value));
	context.status = 303;
	context.redirect(target.href);
};

const inForm: Respond = (context, action, parameters) => {
	const fields = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
	theCall().post({ action, fields });
	context.status = 200;
	context.body = "";
};

/** Returns errors in the query if the client may not use the requested mode. */
export class ProviderWithModes extends Provider {
	override registerResponseMode(name: string, respond: Respond): void {
		const inMode = name === "form_post" ? inForm : respond;
		super.registerResponseMode(name, (context, redirectUri, parameters) => {
			const isAllowed = context.oidc.client?.responseModes.includes(name);
			return (isAllowed ? inMode : inQuery)(context, redirectUri, parameters);
		});
	}
}
