// `npm run tour`, first part: starts a service of its own, walks the main job end to end and prints each step.

import { perform } from "./perform.ts";

const NEXT = `
What next:
  npm start                the service itself, its data in ./data; then docs/first-steps.md
  docs/signing.md          a signed call from your own application
  docs/api.md              every route; the running service shows them at /docs
  docs/operations.md       a real installation`;

await perform(async () => {
	const { walk } = await import("./walk.ts");
	return { settings: {}, run: walk, close: async () => undefined };
}, NEXT);
