// Recovery of accounts: links, changes of e-mail, known devices.

export const recovery = "";
