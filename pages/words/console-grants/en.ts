// Words of giving and taking access, on the screens of applications and groups.

import { format } from "../format.ts";

export default {
	giveAccess: "Give access",
	giveAccessTo: (application: string) => `Give access to ${application}`,
	giveApplication: "Give access to an application",
	accessGiven: (name: string, application: string) => `${name} may use ${application}.`,
	toWhom: "Who gets access",
	aPerson: "A person",
	aGroup: "A group",
	aGroupHint: "Everybody in the group, for as long as they are in it.",
	findPerson: "Find a person by name, username or e-mail address",
	findGroup: "Find a group by name",
	findApplication: "Find an application by name",
	chooseOne: "Choose one.",
	nothingFound: "Nothing matches. Check the spelling, or type less.",
	moreMatches: (count: number) =>
		format.plural(count, {
			one: "# more matches. Type more to narrow the search.",
			other: "# more match. Type more to narrow the search.",
		}),
	roles: "Roles",
	rolesHint: "Without a role, access is given but no permission.",
	noRoles: "This application has no roles: access is all there is to give.",
	rolesOf: (name: string, application: string) => `Roles of ${name} in ${application}`,
	rolesChanged: (name: string) => `The roles of ${name} are changed.`,
	changeRoles: "Change roles…",
	removeAccess: "Remove access",
	removeAccessAsk: "Remove access…",
	removeAccessOf: (name: string, application: string) => `Remove the access of ${name} to ${application}?`,
	removeUserText:
		"It ends at once, with the roles held here. Access through a group stays. You can give it again at any time.",
	removeGroupText:
		"It ends at once for everybody who has it through this group only. You can give it again at any time.",
	accessRemoved: (name: string) => `The access of ${name} is removed.`,
	save: "Save",
};
