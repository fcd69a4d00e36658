// Audit events as a sentence in Chinese, as `src/domain/audit-summary.ts` makes the English one.

import type en from "./en.ts";
import type { RecordedEvent } from "./event.ts";

/**
 * `{actor}` and `{target}` are noun and name, others details (with the words for events without it). What is in brackets is left
 * out if the actor is the target.
 */
const TEXTS: Readonly<Record<string, string>> = {
	"access_request.approved": "{actor}批准了{target}",
	"access_request.claim_resent": "{actor}重新发送了{target}的领取链接",
	"access_request.rejected": "{actor}拒绝了{target}",
	"access_request.submitted": "{actor}提交了{target}",
	"access_request.withdrawn": "{actor}撤回了{target}",
	"admin_key.created": "{actor}添加了{target}",
	"admin_key.deleted": "{actor}终止了{target}",
	"api_client.claimed": "{actor}领取了{target}的凭证",
	"api_client.created": "{actor}添加了{target}",
	"api_client.deleted": "{actor}删除了{target}",
	"api_client.dormancy_warned": "{actor}已提醒{target}的负责人：该客户端长期未使用",
	"api_client.expiry_notified": "{actor}已通知{target}的负责人：该客户端即将到期",
	"api_client.secret_regenerated": "{actor}重新生成了{target}的密钥",
	"api_client.test_created": "{actor}创建了测试客户端{target}",
	"api_client.key_accepted": "{actor}接受了{target}的公钥",
	"api_client.key_added": "{actor}为{target}添加了公钥",
	"api_client.key_removed": "{actor}移除了{target}的公钥",
	"api_client.secret_rotated": "{actor}轮换了{target}的密钥",
	"api_client.updated": "{actor}更改了{target}",
	"application.created": "{actor}添加了{target}",
	"application.deleted": "{actor}删除了{target}",
	"application.updated": "{actor}更改了{target}",
	"application_role.created": "{actor}添加了{target}",
	"application_role.deleted": "{actor}删除了{target}",
	"application_role.updated": "{actor}更改了{target}",
	"audit.exported": "{actor}导出了审计日志",
	"audit.pruned": "{actor}移除了旧的审计事件",
	"config.applied": "{actor}应用了{target}的配置",
	"directory.created": "{actor}设置了{target}",
	"directory.deleted": "{actor}删除了{target}",
	"directory.token_rotated": "{actor}轮换了{target}的令牌",
	"directory.updated": "{actor}更改了{target}",
	"gate.created": "{actor}创建了{target}",
	"gate.key_regenerated": "{actor}重新生成了{target}的密钥",
	"gate.removed": "{actor}移除了{target}",
	"gate.updated": "{actor}更改了{target}",
	"grant.changed": "{actor}更改了{target}对{app_name|某个应用}的访问权限",
	"grant.created": "{actor}授予{target}访问{app_name|某个应用}的权限",
	"grant.expired": "{target}对{app_name|某个应用}的访问权限已到期",
	"grant.removed": "{actor}移除了{target}对{app_name|某个应用}的访问权限",
	"grant.updated": "{actor}更改了{target}对{app_name|某个应用}的访问权限",
	"group.created": "{actor}添加了{target}",
	"group.deleted": "{actor}删除了{target}",
	"group.member_expired": "{target}在群组{group_name|（名称未记录）}中的成员资格已到期",
	"group.updated": "{actor}更改了{target}",
	"group_member.added": "{actor}将{target}加入群组{group_name|（名称未记录）}",
	"group_member.removed": "{actor}将{target}移出群组{group_name|（名称未记录）}",
	"domain.added": "{actor}添加了{target}",
	"domain.lost": "{target}不再通过验证：其 DNS 记录已缺失 30 天",
	"domain.removed": "{actor}移除了{target}",
	"domain.updated": "{actor}更改了{target}",
	"domain.verified": "{actor}验证了{target}",
	"set_up.finished": "{actor}完成了{target}的登录设置",
	"set_up.link_created": "{actor}创建了用于设置{target}登录的链接",
	"set_up.link_revoked": "{actor}撤销了用于设置{target}登录的链接",
	"set_up.tested": "{actor}试用了{target}的登录",
	"manager.added": "{actor}将{target}设为{name|（名称未记录）}的管理者",
	"manager.removed": "{actor}将{target}从{name|（名称未记录）}的管理者中移除",
	"group_member.updated": "{actor}更改了{target}在群组{group_name|（名称未记录）}中的期限",
	"identity_provider.created": "{actor}添加了{target}",
	"identity_provider.deleted": "{actor}删除了{target}",
	"identity_provider.updated": "{actor}更改了{target}",
	"installation.failed_over": "数据库已切换到另一台服务器",
	"installation.fenced": "{actor}隔离了系统：此前可能已使用或撤销的凭据全部失效",
	"installation.moved": "{actor}将系统迁移到了另一个数据库",
	"installation.restored": "{actor}从备份恢复了系统",
	"list.exported": "{actor}将 {list|列表} 导出为 CSV",
	"mail.resent": "{actor}重新发送了{target}",
	"oauth.assertion_issued": "{app_name|某个应用}获得了关于{target}、面向{audience|其他服务}的断言",
	"oauth.code_retried": "{app_name|某个应用}立即再次提交了{target}的授权码或设备码",
	"oauth.code_reused": "{target}在{app_name|某个应用}的登录已结束：授权码或设备码被重复使用",
	"oauth.acting_ended": "{actor}终止了{app_name|某个应用}代表自己调用{api_name|某个 API}",
	"oauth.consent_withdrawn": "{actor}撤回了对{app_name|某个应用}的授权",
	"oauth.device_approved": "{actor}在设备上登录了{app_name|某个应用}",
	"oauth.consented": "{actor}允许{app_name|某个应用}访问：{scopes|无}",
	"oauth.refresh_reused": "{target}在{app_name|某个应用}的登录已结束：刷新令牌被重复使用",
	"oauth_client.created": "{actor}添加了{target}",
	"oauth_client.deleted": "{actor}删除了{target}",
	"oauth_client.secret_regenerated": "{actor}重新生成了{target}的密钥",
	"oauth_client.updated": "{actor}更改了{target}",
	"oauth_client.workload_refused": "{target}的工作负载令牌被拒绝：{reason}",
	"person_request.approval_resent": "{actor}重新发送了{target}的批准邮件",
	"person_request.approved": "{actor}批准了{target}",
	"person_request.rejected": "{actor}拒绝了{target}",
	"person_request.submitted": "{actor}提交了{target}",
	"person_request.withdrawn": "{actor}撤回了{target}",
	"program.approval_resent": "{actor}重新发送了{target}的批准邮件",
	"program.approved": "{actor}批准了{target}",
	"program.changed": "{target}的文档已变更或无法读取，等待审核",
	"program.rejected": "{actor}拒绝了{target}",
	"program.removed": "{actor}移除了{target}",
	"program.requested": "{actor}提交了{target}",
	"program.suspended": "{actor}暂停了{target}",
	"program.updated": "{actor}更改了{target}",
	"registration.code_refused": "{actor}提交的注册验证码错误或已过期",
	"registration.code_requested": "{actor}申请了注册验证码",
	"review.closed": "{actor}关闭了{target}",
	"review.created": "{actor}开始了{target}",
	"review.item_ended": "{actor}在审查{review_name|（名称未记录）}中决定终止{target}的访问权限",
	"review.item_kept": "{actor}在审查{review_name|（名称未记录）}中决定保留{target}的访问权限",
	"review.partner_answered": "{actor}答复了是否仍需要{target}",
	"review.partner_notified": "{actor}询问了{target}的负责人是否仍需要它",
	"secrets.resealed": "{actor}用{target}重新封装了存储的密文",
	"service.first_started": "{actor}首次启动，并创建了{target}",
	"session.ended": "{actor}结束了{target}",
	"session.refresh_refused": "{target}的一个会话已结束：该人员已无权使用",
	"session.refresh_reused": "{target}的一个会话已结束：刷新令牌被重复使用",
	"signing_key.published": "{actor}发布了{target}",
	"signing_key.removed": "{actor}移除了{target}",
	"signing_key.replaced": "{actor}撤回了原有的签名密钥，换成{target}",
	"tenant.resource_assigned": "{actor}将{resource|某个资源}分配给{target}",
	"tenant.created": "{actor}添加了{target}",
	"support_session.created": "{actor}为{target}创建了支持会话：{reason|未填写原因}",
	"support_session.ended": "{actor}结束了{target}的支持会话",
	"support_session.opened": "{actor}开始查看{target}的账号：{reason|未填写原因}",
	"tenant.branding_updated": "{actor}更改了{target}的品牌",
	"tenant.updated": "{actor}更改了{target}",
	"third_party_account.link_failed": "{actor}未能[为{target}]关联第三方账户",
	"third_party_account.linked": "{actor}[为{target}]关联了第三方账户",
	"third_party_account.unlinked": "{actor}解除了[{target}与]第三方账户的关联",
	"user.adopted": "{actor}接管了{target}的账户",
	"user.created": "{actor}添加了{target}",
	"user.data_exported": "{actor}导出了{target}的数据",
	"user.deleted": "{actor}删除了{target}",
	"user.deletion_refused": "{actor}删除账户被拒绝：身份验证未通过",
	"user.dormancy_warned": "{actor}已提醒{target}：账户长期未使用",
	"user.email_change_refused": "{actor}更改邮箱被拒绝：身份验证未通过",
	"user.email_change_requested": "{actor}申请了更改邮箱的验证码",
	"user.email_changed": "{actor}更改了[{target}的]邮箱",
	"user.email_code_refused": "{actor}提交的新邮箱验证码错误或已过期",
	"user.email_displaced": "{actor}收回了{target}未经验证的邮箱",
	"user.email_restored": "{actor}恢复了[{target}]原来的邮箱",
	"user.invite_accepted": "{actor}接受了邀请",
	"user.invited": "{actor}邀请了{target}",
	"user.other_sessions_ended": "{actor}结束了[{target}的]其他所有会话",
	"user.passkey_renamed": "{actor}重命名了一个通行密钥",
	"user.password_change_refused": "{actor}更改密码被拒绝：身份验证未通过",
	"user.password_changed": "{actor}更改了[{target}的]密码",
	"user.password_locked": "{target}因密码错误次数过多而被锁定",
	"user.password_reset": "{actor}[为{target}]设置了新密码",
	"user.password_reset_requested": "{actor}申请重置{target}的密码",
	"user.recovery_code_used": "{actor}使用恢复码登录",
	"user.recovery_codes_renewed": "{actor}更新了[{target}的]恢复码",
	"user.registered": "{actor}完成注册",
	"user.second_factor_added": "{actor}[为{target}]添加了验证方式",
	"user.second_factor_asked": "{target}被要求进行双重验证",
	"user.second_factor_help_asked": "{target}请求协助处理双重验证",
	"user.second_factor_change_refused": "{actor}更改双重验证被拒绝：身份验证未通过",
	"user.second_factor_removed": "{actor}移除了[{target}的]一种验证方式",
	"user.second_factors_reset": "{actor}重置了{target}的双重验证",
	"user.session_ended": "{actor}结束了{target}的一个会话",
	"user.sessions_revoked": "{actor}结束了{target}的全部会话",
	"user.sign_in_code_requested": "为{target|未知邮箱}申请了登录验证码",
	"user.sign_in_failed": "以{target}的身份登录失败",
	"user.signed_in": "{actor}登录",
	"user.signed_out": "{actor}退出登录",
	"user.unlocked": "{actor}解锁了{target}",
	"user.updated": "{actor}更改了{target}",
	"webhook.created": "{actor}添加了{target}",
	"webhook.deleted": "{actor}删除了{target}",
	"webhook.delivery_replayed": "{actor}重新投递到{target}",
	"webhook.disabled": "{actor}停用了{target}：投递失败",
	"webhook.secret_rotated": "{actor}轮换了{target}的密钥",
	"webhook.tested": "{actor}向{target}发送了测试",
	"webhook.updated": "{actor}更改了{target}",
};

/** `#` is the name. */
const NOUNS: Readonly<Record<string, string>> = {
	access_request: "# 的接入申请",
	admin_key: "管理密钥 #",
	api_client: "API 客户端 #",
	application: "应用 #",
	application_role: "角色 #",
	cli: "#（命令行）",
	directory: "# 的目录",
	gate: "# 的网关",
	group: "群组 #",
	identity_provider: "身份提供方 #",
	key: "管理密钥 #",
	mail: "邮件 #",
	master_key: "主密钥 #",
	oauth_client: "# 的 OpenID Connect 客户端",
	person_request: "对 # 的访问申请",
	program: "程序 #",
	program_request: "程序 # 的申请",
	review: "审查 #",
	session: "会话 #",
	signing_key: "签名密钥 #",
	tenant: "租户 #",
	user: "人员 #",
	webhook: "# 的 Webhook",
};

/** Of an event that changed nothing but the roles of a grant. */
const ROLES_TEXT = "{actor}更改了{whose}在{app_name|某个应用}中的角色";
const OF_OTHERS = /\[([^\]]*)\]/;

/** `{name}` or `{name|default}`. */
const PLACE = /\{(\w+)(?:\|([^}]*))?\}/g;
const HAN = /\p{Script=Han}/u;
/** Letters, digits, and halves of characters outside the first plane. */
const OTHER = /[^\p{Script=Han}\p{P}\p{Z}]/u;

/** Changed fields, and letters of a value, that a summary shows. */
const FIELDS_MAX = 5;
const VALUE_MAX = 60;

export default {
	summaryOf(event) {
		const { action, actor, actor_name, target, target_name, details } = event;
		const ofAction = Object.hasOwn(TEXTS, action) ? TEXTS[action] : undefined;
		if (ofAction === undefined) return event.summary || action;
		const isOfRoles =
			/^grant\.(?:updated|changed)$/.test(action) && Object.keys(event.changes).join() === "roles";
		const template = (isOfRoles ? ROLES_TEXT : ofAction).replace(OF_OTHERS, actor === target ? "" : "$1");
		const person = target.startsWith("user:") ? target_name : "";
		const targetName = target.includes(":") ? named(target, target_name) : "未知账户";
		const words: Readonly<Record<string, unknown>> = {
			...details,
			scopes: typeof details.scopes === "string" ? details.scopes.replaceAll(" ", "、") : "",
			actor: actorWords(actor, actor_name),
			target: (template.startsWith("{target}") && person) || targetName,
			whose: person || targetName,
		};
		// In one pass, because a name may hold `{target}`.
		const text = template.replaceAll(PLACE, (place: string, name: string, otherwise: string, at: number) => {
			const value = words[name];
			const shown = typeof value === "string" && value !== "" ? value : (otherwise ?? "");
			return `${gap(template[at - 1], shown[0])}${shown}${gap(shown.at(-1), template[at + place.length])}`;
		});
		return `${text}${isOfRoles ? rolesWords(event.changes.roles as Change) : changeWords(event.changes)}`;
	},
} satisfies typeof en;

function actorWords(actor: string, name: string): string {
	if (!actor.includes(":")) return actor === "system" ? "本服务" : "访客";
	return actor.startsWith("user:") && name !== "" ? name : named(actor, name);
}

function named(ref: string, name: string): string {
	const colon = ref.indexOf(":");
	const noun = ref.slice(0, colon);
	const pattern = Object.hasOwn(NOUNS, noun) ? NOUNS[noun] : undefined;
	return (pattern ?? `${noun.replaceAll("_", " ")} #`).replace("#", () => name || ref.slice(colon + 1));
}

/** A blank between a Chinese and another letter. */
function gap(left = "", right = ""): string {
	return (HAN.test(left) && OTHER.test(right)) || (OTHER.test(left) && HAN.test(right)) ? " " : "";
}

interface Change {
	readonly from: unknown;
	readonly to: unknown;
}

function rolesWords({ from, to }: Change): string {
	return `：${valueWords(from).trim()} → ${valueWords(to).trim()}`;
}

function changeWords(changes: RecordedEvent["changes"]): string {
	const all = Object.entries(changes) as [string, Change][];
	if (all.length === 0) return "";
	const shown = all
		.slice(0, FIELDS_MAX)
		.map(([field, { from, to }]) => `${field} 由${valueWords(from)}改为${valueWords(to)}`.trimEnd());
	const more = all.length > FIELDS_MAX ? `，另有 ${all.length - FIELDS_MAX} 项` : "";
	return `：${shown.join("，")}${more}`;
}

function valueWords(value: unknown): string {
	const text = Array.isArray(value) ? value.join(" ") : String(value ?? "");
	if (text === "") return "空";
	return text.length > VALUE_MAX ? ` ${text.slice(0, VALUE_MAX)}… ` : ` ${text} `;
}
