// Reads all pages of a list.

interface PageOfRows<Row> {
	readonly data: readonly Row[];
	readonly total: number;
}

/** The maximum of the API. */
const PAGE_SIZE = 100;

/** @param load one page of a list route */
export async function* everyRow<Row>(
	load: (query: { readonly page: number; readonly page_size: number }) => Promise<PageOfRows<Row>>,
): AsyncGenerator<Row, void> {
	for (let page = 1, count = 0; ; page++) {
		const { data, total } = await load({ page, page_size: PAGE_SIZE });
		yield* data;
		count += data.length;
		if (data.length === 0 || count >= total) return;
	}
}
