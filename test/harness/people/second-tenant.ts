// A second tenant besides `default`, for tests of tenant isolation.

import { createTenantStore } from "../../../src/adapters/stores/tenant-store.ts";
import { createUserStore } from "../../../src/adapters/stores/user-store.ts";
import { createPasswordHasher } from "../../../src/crypto/password.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import { userCiphers } from "../../../src/crypto/user-ciphers.ts";
import { newId } from "../../../src/kernel/id.ts";
import { blankUser } from "../databases/database.ts";
import type { TestService } from "../service/service.ts";

export interface SecondTenant {
	readonly id: string;
	readonly slug: string;
	/** The tenant's own `admin`, who is not a platform admin. */
	readonly adminId: string;
	readonly adminToken: string;
	readonly admin: { readonly username: string; readonly password: string };
	/** Signs in to this tenant. */
	tokenOf(username: string, password: string): Promise<string>;
}

const PASSWORD = "another tenant, another admin";
let added = 0;

/** Writes the tenant directly to the database of the running service; its admin signs in over HTTP. */
export async function addSecondTenant(service: TestService): Promise<SecondTenant> {
	const now = service.clock.now();
	const [id, adminId, slug] = [newId(now), newId(now), `second-${++added}`];
	const passwordHash = await createPasswordHasher({ cost: 10, threads: 1 }).hash(PASSWORD, "");
	await using engine = await service.openDatabase();
	const secretBox = new SecretBox(parseMasterKeys(service.masterKeys()));
	const seal = (plain: string, context: string): string => secretBox.seal(plain, context);
	await engine.transaction(async (queries) => {
		const tenant = { id, name: slug, slug, createdAtMs: now, updatedAtMs: now };
		await createTenantStore(queries).insert(tenant);
		await createUserStore(queries, { userCiphers, seal }).insert({
			...blankUser(id, "admin", now),
			id: adminId,
			email: `admin@${slug}.example`,
			roles: ["admin"],
			passwordHash,
		});
	});
	const tokenOf = async (username: string, password: string): Promise<string> => {
		const body = { username, password };
		const response = await service.call("POST", "/api/v1/auth/login", {
			body,
			headers: { "x-tenant-id": id },
		});
		if (response.status !== 200) throw new Error(`sign-in returned ${response.status}`);
		return response.body.data.access_token;
	};
	const admin = { username: "admin", password: PASSWORD };
	return { id, slug, adminId, adminToken: await tokenOf("admin", PASSWORD), admin, tokenOf };
}
