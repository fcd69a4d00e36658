// Entry of `/set-up`.

import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { SetUpPage } from "./set-up-page.tsx";

// The tab of the trial sign-in returns with this fragment, and not with the link.
const isTrialTab = location.hash === "#tested";
const token = takeLinkToken();
await start(() => <SetUpPage token={isTrialTab ? undefined : token} />);
