// Every table of the schema, as the modules of this folder describe them.

import type { Columns } from "../column.ts";
import { Table, type TableDescription } from "../table.ts";
import * as access from "./access-tables.ts";
import * as account from "./account-tables.ts";
import * as directory from "./directory-tables.ts";
import * as gate from "./gate-tables.ts";
import * as oauth from "./oauth-tables.ts";
import * as partner from "./partner-tables.ts";
import * as platform from "./platform-tables.ts";
import * as program from "./program-tables.ts";
import * as record from "./record-tables.ts";
import * as request from "./request-tables.ts";
import * as signIn from "./sign-in-tables.ts";
import * as thirdParty from "./third-party-tables.ts";

/** In the order in which a restore repairs and reports tables. */
const MODULES = [
	platform,
	account,
	signIn,
	thirdParty,
	directory,
	access,
	request,
	program,
	partner,
	record,
	oauth,
	gate,
];

/** Without those that only select columns of another one. A test compares them with the schema. */
export const TABLES: readonly TableDescription[] = MODULES.flatMap((tables) =>
	Object.values(tables).flat(),
).filter((each) => each instanceof Table && each.isWhole) as readonly Table<Columns>[];
