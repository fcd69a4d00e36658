// Summaries of audit events: in English, the API's own.

import type { RecordedEvent } from "./event.ts";

export default {
	summaryOf: ({ summary, action }: RecordedEvent): string => summary || action,
};
