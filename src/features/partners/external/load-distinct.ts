// Loads the facts for many questions, each (user, application) pair once.

import type { AccessFactStore, AccessFacts, AccessPair } from "../../../domain/access.ts";

/** In the order of the questions; the same pair gives the same object. */
export async function loadDistinct(
	facts: AccessFactStore,
	tenantId: string,
	questions: readonly AccessPair[],
): Promise<AccessFacts[]> {
	const indexes = new Map<string, number>();
	const pairs: AccessPair[] = [];
	const indexOf = ({ userId, appId }: AccessPair): number => {
		const name = `${userId} ${appId}`;
		const index = indexes.get(name) ?? pairs.length;
		if (index === pairs.length) {
			indexes.set(name, index);
			pairs.push({ userId, appId });
		}
		return index;
	};
	const order = questions.map(indexOf);
	const loaded = await facts.loadAll(tenantId, pairs);
	return order.map((index) => {
		const found = loaded[index];
		if (found === undefined) throw new Error("no facts were loaded for a question");
		return found;
	});
}
