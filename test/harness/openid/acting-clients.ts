// Ada signs in at Shop, which calls Orders, which acts for her at Billing (RFC 8693).

import type * as client from "openid-client";
import { addRole, putGrant } from "../access/applications.ts";
import { addPerson } from "../people/people.ts";
import type { TestService } from "../service/service.ts";
import {
	basicAuth,
	type ConnectedClient,
	completeAuthorization,
	connect,
	postForm,
	exchange as redeemCode,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "./openid.ts";

export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const ORDERS = "https://orders.example/api";
export const BILLING = "https://billing.example/api";
export const STOCK = "urn:example:stock";
const SCOPES: Readonly<Record<string, string>> = { [BILLING]: "invoices:read" };

export async function addActingClients(service: TestService) {
	const ada = await addPerson(service, "ada");
	const { browser, token: session } = await signedInBrowser(service, ada);
	const billing = await connect(service, { resource: BILLING }, { name: "Billing" });
	await connect(service, { resource: STOCK }, { name: "Stock" });
	const orders = await connect(
		service,
		{ resource: ORDERS, allowedResources: [BILLING, STOCK], actsForPeople: [BILLING] },
		{ name: "Orders" },
	);
	const shop = await connect(
		service,
		{ firstParty: true, allowedResources: [ORDERS, BILLING] },
		{ name: "Shop" },
	);
	const reader = (await addRole(service, billing.id, "reader", ["invoices:read"])).id;
	await addRole(service, billing.id, "writer", ["invoices:write"]);
	await putGrant(service, billing.id, ada.id, [reader]);

	/** An access token of the shop for an API, on behalf of Ada. */
	async function tokenFor(resource: string, by = shop, DPoP?: client.DPoPHandle): Promise<string> {
		const party = await relyingParty(service, by);
		const asked = await startAuthorization(party, {
			resource,
			scope: `openid roles ${SCOPES[resource] ?? ""}`.trim(),
		});
		const returned = await completeAuthorization(browser, asked.url, session);
		return (await redeemCode(party, returned, asked, { resource, DPoP })).access_token;
	}
	const subject = await tokenFor(ORDERS);
	function exchange(fields: Record<string, string | undefined> = {}, by: ConnectedClient = orders) {
		const form = {
			grant_type: EXCHANGE,
			subject_token: subject,
			subject_token_type: TOKEN_TYPE,
			resource: BILLING,
			scope: "invoices:read",
			...fields,
		};
		return postForm(service, "/oauth/token", form, { authorization: basicAuth(by) });
	}
	return { ada, browser, session, shop, orders, billing, reader, subject, tokenFor, exchange };
}
