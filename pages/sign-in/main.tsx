// Entry of `/sign-in`.

import { start } from "../start.tsx";
import { SignInPage } from "./sign-in-page.tsx";

await start(SignInPage);
