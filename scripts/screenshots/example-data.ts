// The example data of the demo in a test service, with the links of mails and devices that views open.

import { DAY_MS, DAYS, type Examples, fillWithExamples } from "../../packages/demo/src/index.ts";
import { allowTestClients, decide, mailedLinks, submit } from "../../test/harness/access/access-requests.ts";
import { ADMIN, type TestService } from "../../test/harness/service/service.ts";

export { DAY_MS, DAYS };

export interface ExampleData extends Examples {
	/** The user code of a new device. */
	newDevice(): Promise<string>;
	/** The link in an applicant's mail. Each screenshot creates a new request. */
	newLink(page: "claim" | "test-client" | "withdraw"): Promise<string>;
}

/** See `fillWithExamples`. The first admin is among the people. */
export async function fillTestService(service: TestService): Promise<ExampleData> {
	await service.asAdmin("POST", "/api/v1/webhooks", {
		url: "https://hooks.nordwind.example/latchkey",
		description: "Order system of Nordwind; ask Jonas",
		event_types: ["user.*", "grant.removed"],
	});
	const examples = await fillWithExamples(service);
	let links = 0;
	return {
		...examples,
		people: [...examples.people, { id: "", ...ADMIN }],
		async newDevice() {
			const response = await service.call<{ user_code: string }>("POST", "/oauth/device-authorization", {
				https: true,
				headers: { "content-type": "application/x-www-form-urlencoded" },
				body: `client_id=${examples.deviceClientId}&scope=openid+profile+email`,
			});
			return response.body.user_code;
		},
		async newLink(page) {
			links += 1;
			if (page === "test-client") await allowTestClients(service);
			const email = `partner-${links}@nordwind.example`;
			const { id } = await submit(service, { email, project_name: "Shipment tracking" });
			if (page === "claim") await decide(service, id, "approve");
			const [link = ""] = await mailedLinks(service, email, page);
			return link;
		},
	};
}
