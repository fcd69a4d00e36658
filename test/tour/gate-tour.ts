// `npm run tour`, third part: an API behind a gate, a person who leaves, a replay, a changed body, and a crash.

import { perform } from "./perform.ts";

const NEXT = `
More:
  docs/gate.md             a gate in front of your own API, with nginx, Caddy, or HAProxy
  docs/customer-sign-in.md domains and set-up links of an organization that brings its own sign-in
  docs/directories.md      people of a directory, such as Entra ID or Okta
  docs/packages.md         middleware that asks the gate`;

await perform(async () => {
	const { guard } = await import("./guard.ts");
	return { settings: {}, run: guard, close: async () => undefined };
}, NEXT);
