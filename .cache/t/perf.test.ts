import { it } from "node:test";
import { testService } from "../../test/harness/runs/fixture.ts";
import { addSecondTenant } from "../../test/harness/people/second-tenant.ts";
const service = testService();
const apps = Array.from({ length: 200 }, (_, i) => `  app-${i}:\n    name: App ${i}\n    roles:\n      reader: {permissions: ["orders:read"]}\n    oauth_client: {type: web}\n    gate:\n      rules: [{path: /orders, needs: "orders:read"}]\n`).join("");
const document = `groups:\n  Staff: {}\napplications:\n${apps}`;
it("x", async () => {
	const { adminToken: token } = await addSecondTenant(service);
	const time = async (name: string, path: string) => { const at = performance.now(); const c = process.cpuUsage(); const r = await service.call("POST", `/api/v1/config/${path}`, { token, body: { document } }); const u = process.cpuUsage(c); console.log(name, r.status, Math.round(performance.now() - at), "cpu", Math.round((u.user+u.system)/1000), (r.body as any).data?.changes?.length, JSON.stringify(r.body).length); };
	for (let i = 0; i < 3; i++) await time("plan all", "plan");
	await time("apply", "apply");
	for (let i = 0; i < 3; i++) await time("plan none", "plan");
	const at = performance.now(); await service.call("POST", "/api/v1/config/export", { token }); console.log("export", performance.now() - at);
});
