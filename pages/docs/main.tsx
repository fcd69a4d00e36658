// Entry of `/docs`.

import { start } from "../start.tsx";
import { DocsPage } from "./docs-page.tsx";

await start(DocsPage);
