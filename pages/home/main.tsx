// Entry of `/`.

import { start } from "../start.tsx";
import { HomePage } from "./home-page.tsx";

await start(HomePage);
