// Domains at which anyone gets a mailbox: no tenant may own them.

/** The largest providers; those of their countries included. */
const PUBLIC_MAIL_DOMAINS = new Set(
	`gmail.com googlemail.com outlook.com outlook.de outlook.fr outlook.es outlook.it outlook.jp hotmail.com hotmail.co.uk
	hotmail.fr hotmail.de hotmail.it hotmail.es live.com live.co.uk live.fr live.nl msn.com passport.com yahoo.com
	yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca yahoo.com.br yahoo.com.ar
	yahoo.com.mx yahoo.com.tw ymail.com rocketmail.com aol.com aim.com icloud.com me.com mac.com proton.me protonmail.com
	pm.me gmx.com gmx.de gmx.net gmx.at gmx.ch web.de mail.com mail.ru inbox.ru list.ru bk.ru yandex.ru yandex.com
	rambler.ru qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn 21cn.com
	naver.com daum.net hanmail.net nate.com rediffmail.com zoho.com zohomail.com fastmail.com fastmail.fm tutanota.com
	tuta.io hey.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it t-online.de
	freenet.de arcor.de bluewin.ch comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net
	btinternet.com sky.com uol.com.br bol.com.br terra.com.br wp.pl o2.pl seznam.cz mailinator.com guerrillamail.com`.split(
		/\s+/,
	),
);

export function isPublicMailDomain(domain: string): boolean {
	return PUBLIC_MAIL_DOMAINS.has(domain);
}
