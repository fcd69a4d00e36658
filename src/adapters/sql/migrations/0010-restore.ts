// What a restored database has to refuse.

export const restore = "";
