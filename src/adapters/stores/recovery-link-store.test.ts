import assert from "node:assert/strict";
import { it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { LINK_SECONDS, type LinkPurpose } from "../../domain/recovery-link.ts";
import { SECOND_MS } from "../../kernel/clock.ts";

onEachEngine("recovery link store", (database) => {
	let userId: string;
	let made = 0;

	const links = () => database.db.stores.recoveryLinks;
	const now = () => database.clock.now();
	const addOwner = async (): Promise<void> => {
		userId = (await database.addUser({ username: `owner-${++made}` })).id;
	};
	const put = async (purpose: LinkPurpose, owner: string | null = userId): Promise<string> => {
		const digest = `digest ${++made}`;
		const { tenantId } = database;
		const times = { createdAtMs: now(), expiresAtMs: now() + LINK_SECONDS.password_reset * SECOND_MS };
		const link = { digest, tenantId, userId: owner, purpose, email: "a@b.example", ...times };
		await database.db.transaction(({ recoveryLinks }) => recoveryLinks.put(link));
		return digest;
	};
	const consume = (digest: string) =>
		database.db.transaction(({ recoveryLinks }) => recoveryLinks.consume(digest, "password_reset", now()));
	const isLive = async (digest: string, purpose: LinkPurpose): Promise<boolean> =>
		(await links().find(digest, purpose, now())) !== undefined;

	it("keeps only the newest password link of an account, and all restore links", async () => {
		await addOwner();
		const [first, second] = [await put("password_reset"), await put("password_reset")];
		const [back, further] = [await put("email_restore"), await put("email_restore")];
		assert.deepEqual(await Promise.all([first, second].map((each) => isLive(each, "password_reset"))), [
			false,
			true,
		]);
		assert.deepEqual(await Promise.all([back, further].map((each) => isLive(each, "email_restore"))), [
			true,
			true,
		]);
		assert.equal(await isLive(second, "email_restore"), false, "a link is valid for one purpose");
	});

	it("returns a link to one of many concurrent callers", async () => {
		await addOwner();
		const digest = await put("password_reset");
		const used = await Promise.all(Array.from({ length: 10 }, () => consume(digest)));
		assert.equal(used.filter((link) => link !== undefined).length, 1);
	});

	it("finds no link without an account, and none that has expired", async () => {
		await addOwner();
		const nobody = await put("password_reset", null);
		assert.equal(await consume(nobody), undefined);
		const late = await put("password_reset");
		database.clock.advance(LINK_SECONDS.password_reset * SECOND_MS);
		assert.equal(await isLive(late, "password_reset"), false);
		assert.equal(await consume(late), undefined);
	});

	it("deletes links from a given time on, and with the user", async () => {
		await addOwner();
		const earlier = await put("email_restore");
		database.clock.advance(1);
		const from = now();
		const later = await put("email_restore");
		await links().endAll(database.tenantId, userId, "email_restore", from);
		assert.deepEqual(
			[await isLive(earlier, "email_restore"), await isLive(later, "email_restore")],
			[true, false],
		);
		await database.db.stores.users.remove(database.tenantId, userId);
		assert.equal(await isLive(earlier, "email_restore"), false);
	});

	it("deletes expired links in bounded steps", async () => {
		await links().purge(now() + LINK_SECONDS.password_reset * SECOND_MS, 1_000);
		await addOwner();
		for (let count = 0; count < 3; count++) await put("email_restore");
		assert.equal(await links().purge(now(), 10), 0);
		database.clock.advance(LINK_SECONDS.password_reset * SECOND_MS);
		assert.equal(await links().purge(now(), 2), 2);
		assert.equal(await links().purge(now(), 2), 1);
	});
});
