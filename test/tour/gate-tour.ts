// `npm run tour`, third part: an API behind a gate, a replay, a changed body, and a crash.

import { perform } from "./perform.ts";

const NEXT = `
More:
  docs/gate.md             a gate in front of your own API, with nginx, Caddy, or HAProxy
  docs/packages.md         middleware that asks the gate`;

await perform(async () => {
	const { guard } = await import("./guard.ts");
	return { settings: {}, run: guard, close: async () => undefined };
}, NEXT);
