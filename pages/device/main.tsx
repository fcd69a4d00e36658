// Entry of `/oauth/device`.

import { start } from "../start.tsx";
import { DevicePage } from "./device-page.tsx";

await start(DevicePage, { session: "tried" });
