// Entry of `/restore-email`.

import { start } from "../start.tsx";
import { RestoreEmailPage } from "./restore-email-page.tsx";

await start(RestoreEmailPage);
