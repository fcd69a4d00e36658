// Entry of `/test-client`.

import { takeLinkToken } from "../portal/link-token.ts";
import { start } from "../start.tsx";
import { TestClientPage } from "./test-client-page.tsx";

const token = takeLinkToken();
await start(() => <TestClientPage token={token} />);
