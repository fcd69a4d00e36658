// Steps that a sign-in may need after its first view: one chunk, loaded on first use.

export { ChooseAccount } from "./choose-account.tsx";
export { dueStep } from "./due-step.tsx";
export { ForgottenStep } from "./forgotten-step.tsx";
export { MailedCodeStep } from "./mailed-code-step.tsx";
export { createAutomatically, offerFor } from "./passkey-offer.tsx";
export { RefusedEntry, StepUp } from "./refused-entry.tsx";
export { replaceSession } from "./replace-session.ts";
