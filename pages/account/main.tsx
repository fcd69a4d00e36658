// Entry of `/account` and everything below it.

import { createPendingPasskey } from "../pending-passkey.ts";
import { start } from "../start.tsx";
import { Account } from "./account.tsx";

await start(Account, { session: "required" });
createPendingPasskey();
