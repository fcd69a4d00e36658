// nginx and HAProxy with the configurations of deploy/: what reaches the service through them, and what nobody can fake.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addApiClient } from "../harness/applications.ts";
import { HAPROXY_SKIPPED, startHaproxy } from "../harness/haproxy.ts";
import { NGINX_SKIPPED, startNginx } from "../harness/nginx.ts";
import type { RawAnswer } from "../harness/raw-connection.ts";
import { callerOf, hasIpv6, PROXY_ADDRESS, type ReverseProxy } from "../harness/reverse-proxy.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";
import { sendSigned } from "../harness/signed-wire.ts";

const PROXIES = [
	{ name: "nginx", start: startNginx, skip: NGINX_SKIPPED },
	{ name: "HAProxy", start: startHaproxy, skip: HAPROXY_SKIPPED },
];

for (const { name, start, skip } of PROXIES)
	describe(`behind ${name}`, { skip }, () => {
		let service: TestService;
		let proxy: ReverseProxy;
		let client: Credentials;
		before(async () => {
			service = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS } });
			proxy = await start([{ port: service.httpPort }]);
			client = await addApiClient(service);
		});
		after(async () => {
			await proxy?.remove();
			await service?.stop();
		});

		test("the service sees the caller's address, and TLS where there was TLS", async () => {
			for (const address of ["127.0.0.2", "127.0.0.3", ...((await hasIpv6()) ? ["::1"] : [])]) {
				const caller = callerOf(proxy, service, address);
				assert.equal(seen(await sendSigned(caller, client)), `${address} https`);
				assert.equal(seen(await sendSigned(caller, client, { secure: false })), "426");
			}
		});
	});

/** What `whoami` says, or the status when it is refused. */
function seen({ status, body }: RawAnswer): string {
	return status === 200 ? `${body.data.ip} ${body.data.scheme}` : String(status);
}
