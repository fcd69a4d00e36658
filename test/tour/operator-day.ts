// `npm run tour`, second part: an operator's day with commands and an admin key, without typed ids.

import { perform } from "./perform.ts";

const NEXT = `
More:
  docs/automation.md       admin keys for scripts
  docs/commands.md         every command
  docs/runbook.md          what to do when an alert fires`;

await perform(async () => (await import("./day.ts")).prepareDay(), NEXT);
