// Entry of `/sign-up`.

import { start } from "../start.tsx";
import { SignUpPage } from "./sign-up-page.tsx";

await start(SignUpPage);
