// Entry of `/support`.

import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { SupportPage } from "./support-page.tsx";

const token = takeLinkToken();
await start(() => <SupportPage token={token} />, { session: "required" });
