// Entry of `/console` and everything below it.

import { createPendingPasskey } from "../pending-passkey.ts";
import { start } from "../start.tsx";
import { Console } from "./console.tsx";
import { preloadScreen } from "./loaded-screen.tsx";

// While the session is renewed.
preloadScreen(location.pathname);
await start(Console, { session: "required" });
createPendingPasskey();
