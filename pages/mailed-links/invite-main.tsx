// Entry of `/invite`.

import { start } from "../start.tsx";
import { InvitePage } from "./invite-page.tsx";

await start(InvitePage);
