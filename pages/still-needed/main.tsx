// Entry of `/still-needed`.

import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { StillNeededPage } from "./still-needed-page.tsx";

const token = takeLinkToken();
await start(() => <StillNeededPage token={token} />);
