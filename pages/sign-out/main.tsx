// Entry of `/sign-out` and `/signed-out`.

import { start } from "../start.tsx";
import { SignOutPage } from "./sign-out-page.tsx";
import { SignedOut } from "./signed-out.tsx";

await (location.pathname === "/sign-out" ? start(SignOutPage, { session: "tried" }) : start(SignedOut));
