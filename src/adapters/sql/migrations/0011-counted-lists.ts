// Exact totals of long lists without counting every row.

export const countedLists = "";
