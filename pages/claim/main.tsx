// Entry of `/claim`.

import { takeLinkToken } from "../portal/link-token.ts";
import { start } from "../start.tsx";
import { ClaimPage } from "./claim-page.tsx";

const token = takeLinkToken();
await start(() => <ClaimPage token={token} />);
