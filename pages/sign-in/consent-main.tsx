// Entry of `/consent`.

import { start } from "../start.tsx";
import { ConsentPage } from "./consent-page.tsx";

await start(ConsentPage, { session: "tried" });
