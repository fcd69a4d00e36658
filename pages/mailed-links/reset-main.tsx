// Entry of `/reset`.

import { start } from "../start.tsx";
import { ResetPage } from "./reset-page.tsx";

await start(ResetPage);
