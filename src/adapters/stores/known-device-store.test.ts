import assert from "node:assert/strict";
import { it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { DEVICE_KNOWN_DAYS } from "../../domain/sign-in.ts";
import { DAY_MS } from "../../kernel/clock.ts";

onEachEngine("known device store", (database) => {
	const note = (userId: string, device: string) =>
		database.db.transaction(({ knownDevices }) =>
			knownDevices.note(database.tenantId, userId, device, database.clock.now()),
		);

	it("remembers a device for ninety days after its last use", async () => {
		const { id } = await database.addUser({ username: "ada" });
		assert.equal(await note(id, "a"), false);
		assert.equal(await note(id, "a"), true);
		database.clock.advance((DEVICE_KNOWN_DAYS - 1) * DAY_MS);
		assert.equal(await note(id, "a"), true);
		database.clock.advance((DEVICE_KNOWN_DAYS - 1) * DAY_MS);
		assert.equal(await note(id, "a"), true);
		database.clock.advance(DEVICE_KNOWN_DAYS * DAY_MS);
		assert.equal(await note(id, "a"), false);
	});

	it("reports a device as new to one of many concurrent callers, separately per user", async () => {
		const [bob, eve] = [
			await database.addUser({ username: "bob" }),
			await database.addUser({ username: "eve" }),
		];
		const responses = await Promise.all(Array.from({ length: 10 }, () => note(bob.id, "b")));
		assert.equal(responses.filter((known) => !known).length, 1);
		assert.equal(await note(eve.id, "b"), false);
	});

	it("deletes expired devices", async () => {
		const purge = () => database.db.stores.knownDevices.purge(database.clock.now(), 100);
		database.clock.advance(DEVICE_KNOWN_DAYS * DAY_MS);
		await purge();
		const { id } = await database.addUser({ username: "gone" });
		await note(id, "c");
		assert.equal(await purge(), 0);
		database.clock.advance(DEVICE_KNOWN_DAYS * DAY_MS);
		assert.equal(await purge(), 1);
	});
});
