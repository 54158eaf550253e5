/** Hosts that give anybody an address under many top-level domains: `yahoo.com`, `yahoo.co.uk`. */
const EVERYWHERE =
  /^(?:gmail|googlemail|hotmail|outlook|live|msn|yahoo|ymail|rocketmail|icloud|aol|gmx|yandex|protonmail|tutanota|zohomail|mail-me|yopmail|mailinator|guerrillamail)\.[a-z]{2,3}(?:\.[a-z]{2})?$/

const HOSTS =
  'proton.me pm.me me.com mac.com web.de fastmail.com fastmail.fm zoho.com ya.ru ukr.net qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com naver.com daum.net hanmail.net kakao.com wp.pl o2.pl onet.pl interia.pl tuta.com tutamail.com tuta.io keemail.me hey.com mail.com email.com usa.com mail.ru bk.ru list.ru inbox.ru internet.ru rambler.ru i.ua meta.ua free.fr orange.fr wanadoo.fr laposte.net sfr.fr neuf.fr t-online.de freenet.de arcor.de posteo.de posteo.net mailbox.org libero.it virgilio.it tiscali.it alice.it tin.it sapo.pt uol.com.br bol.com.br terra.com.br ig.com.br rediffmail.com seznam.cz centrum.cz email.cz azet.sk abv.bg comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com btinternet.com btopenworld.com sky.com virginmedia.com talktalk.net ntlworld.com blueyonder.co.uk bigpond.com optusnet.com.au shaw.ca rogers.com sympatico.ca telenet.be skynet.be ziggo.nl kpnmail.nl xs4all.nl planet.nl home.nl hetnet.nl bluewin.ch telia.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com privaterelay.appleid.com duck.com simplelogin.com passmail.net mozmail.com relay.firefox.com 10minutemail.com temp-mail.org trashmail.com sharklasers.com users.noreply.github.com'

let hosts: ReadonlySet<string> | undefined

/**
 * Whether anybody gets an address with this domain, so that no company can have it.
 *
 * @param domain in lower case, and in ASCII
 * @example isSharedMailHost('gmail.com') // true
 */
export function isSharedMailHost(domain: string): boolean {
  hosts ??= new Set(HOSTS.split(' '))
  return EVERYWHERE.test(domain) || hosts.has(domain)
}
