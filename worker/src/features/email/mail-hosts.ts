/** Where people read their mails, by the end of their address. */
const HOSTS: readonly (readonly [name: string, url: string, domains: string])[] = [
  ['Gmail', 'https://mail.google.com/', 'gmail.com googlemail.com'],
  [
    'Outlook',
    'https://outlook.live.com/mail/',
    'outlook.com hotmail.com live.com msn.com outlook.de hotmail.de hotmail.fr hotmail.co.uk live.de',
  ],
  [
    'Yahoo Mail',
    'https://mail.yahoo.com/',
    'yahoo.com ymail.com yahoo.de yahoo.fr yahoo.es yahoo.it yahoo.co.uk yahoo.com.br yahoo.co.in',
  ],
  ['iCloud Mail', 'https://www.icloud.com/mail', 'icloud.com me.com mac.com'],
  ['Proton Mail', 'https://mail.proton.me/', 'proton.me protonmail.com pm.me'],
  ['GMX', 'https://www.gmx.net/', 'gmx.net gmx.de gmx.at gmx.ch'],
  ['WEB.DE', 'https://web.de/', 'web.de'],
  ['AOL Mail', 'https://mail.aol.com/', 'aol.com'],
  ['Fastmail', 'https://app.fastmail.com/', 'fastmail.com fastmail.fm'],
  ['Zoho Mail', 'https://mail.zoho.com/', 'zoho.com zohomail.com'],
  ['Yandex Mail', 'https://mail.yandex.com/', 'yandex.com yandex.ru ya.ru'],
  ['UKR.NET', 'https://mail.ukr.net/', 'ukr.net'],
  ['QQ Mail', 'https://mail.qq.com/', 'qq.com'],
  ['163 Mail', 'https://mail.163.com/', '163.com'],
  ['Naver Mail', 'https://mail.naver.com/', 'naver.com'],
  ['WP Poczta', 'https://poczta.wp.pl/', 'wp.pl'],
]

/**
 * The host that an address's mails are read at, if it is known. The URL has no part of the address.
 */
export function mailHostOf(address: string): { name: string; url: string } | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const host = HOSTS.find(([, , domains]) => domains.split(' ').includes(domain))
  return host && { name: host[0], url: host[1] }
}
