// Entry of `/portal`.

import { start } from "../start.tsx";
import { PortalPage } from "./portal-page.tsx";

await start(PortalPage);
