// A check of the installation, as the API returns it.

import type { Schemas } from "../../api/routes.ts";

export type Check = Schemas["InstallationCheck"];
export type CheckSubject = Check["code"] extends infer Code
	? Code extends `${infer Subject}.${string}`
		? Subject
		: never
	: never;
