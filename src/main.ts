// Start only: hands the command line over.

import { runCommand } from "./cli/command.ts";

await runCommand(process.argv);
