// Entry of `/withdraw`.

import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { WithdrawPage } from "./withdraw-page.tsx";

const token = takeLinkToken();
await start(() => <WithdrawPage token={token} />);
