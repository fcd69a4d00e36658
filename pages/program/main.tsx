// Entry of `/program`.

import { start } from "../start.tsx";
import { ProgramPage } from "./program-page.tsx";

await start(ProgramPage, { session: "required" });
