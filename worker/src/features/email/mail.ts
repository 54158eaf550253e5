import { fill, fillCount, fillList } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { pattern } from '../../lib/pattern.js'
import { printable } from '../../lib/printable.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Palette } from '../../pages/palette.js'
import { siteName } from '../../pages/theme.js'
import { type Device, nameOfDevice } from '../../session/device.js'
import type { SignInMail, ThemeConfig } from '../../types.js'
import { MailPage, mailRadius } from './mail-page.js'

/** The contents of a sign-in mail. Every text may be hostile. */
interface MailContent {
  readonly words: Words
  readonly from: string
  readonly to: string
  /** Tells it from the mails before it. */
  readonly mark: string
  /** Does it add the address to an account, in the one browser that asked? */
  readonly isAdding: boolean
  /** The link that signs in, http or https. */
  readonly url: string
  /** Six digits. */
  readonly code: string
  /** When the link and the code end. */
  readonly expires: Date
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The host of the sign-in, such as `app.example.com`. */
  readonly host: string
  readonly device: Device
  readonly theme: ThemeConfig
}

/**
 * The mail with link and code, as text and as HTML with the same contents.
 *
 * It does not name its recipient: a stranger may choose that address, and mail programs turn texts
 * that look like links into links. It loads only the operator's logo, which is the same for
 * all users and so does not reveal the reader.
 *
 * @throws Error when `url` is not an http(s) URL
 */
export function signInMail({ from, to, mark, ...content }: MailContent): SignInMail {
  const said = sayingsOf(content)
  const page = Page(said, content)
  return { from, to, subject: `${said.title} · ${mark}`, text: textOf(said), html: page.toString() }
}

/** What the mail says. */
interface Sayings {
  readonly title: string
  readonly preview: string
  readonly host: string
  readonly url: string
  readonly button: string
  readonly code: string
  readonly byLink: string
  readonly byCode: string
  readonly limits: string
  readonly device: string
  readonly warning: string
}

function sayingsOf(content: Omit<MailContent, 'from' | 'to' | 'mark'>): Sayings {
  const { words } = content
  const { mail, mailToAdd } = words.texts
  // The address of the link says which host it is.
  const host = siteName(content.theme.name) ?? printable(content.host) ?? ''
  const device = deviceName(content.device, words)
  const { unit, count } = duration(content.expires.getTime() - content.now)
  const common = {
    host,
    url: webUrl(content.url),
    code: content.code,
    byCode: mail.byCode,
    limits: fillCount(words, mail[`limits${unit}`], count),
    device: fill(mail.device, { device }),
  }
  if (content.isAdding) {
    const { title, preview, button, byLink, warning } = mailToAdd
    const filled = { title: fill(title, { host }), preview: fill(preview, { device }) }
    return { ...common, ...filled, button, byLink, warning }
  }
  const { title, button, byLink, warning } = mail
  return {
    ...common,
    // The subject has no code, since a locked telephone shows subjects to any holder. It
    // also shows the beginning of the mail, so the code comes late there too.
    title: fill(title, { host }),
    preview: fillCount(words, mail[`preview${unit}`], count, { device }),
    button,
    byLink,
    warning,
  }
}

function textOf(said: Sayings): string {
  const { title, byLink, url, byCode, code, limits, device, warning } = said
  return `${[title, byLink, url, byCode, code, limits, device, warning].join('\n\n')}\n`
}

function Page(said: Sayings, { words, theme }: Pick<MailContent, 'words' | 'theme'>): Markup {
  const { title, preview, host } = said
  const ltr = words.direction === 'rtl' && html` dir="ltr"`
  const radius = mailRadius(theme)
  return MailPage({ words, title, preview, host, theme }, (colors) => {
    const { page, dim, line } = colors
    return html`<p style="margin:0 0 16px">${said.byLink}</p>
${Button(said.url, said.button, colors, radius)}
<p class="dim"${ltr} style="margin:12px 0 0;color:${dim};font-size:13px;word-break:break-all"><a class="dim" href="${said.url}" style="color:${dim}">${said.url}</a></p>
<p class="line" style="margin:28px 0 16px;padding-top:28px;border-top:1px solid ${line}">${said.byCode}</p>
${Code(said.code, page, radius, ltr)}
<p class="dim" style="margin:12px 0 28px;color:${dim};font-size:14px">${said.limits}</p>
<p class="line" style="margin:0;padding-top:24px;border-top:1px solid ${line};font-size:14px">${said.device}</p>
<p class="dim" style="margin:12px 0 0;color:${dim};font-size:14px">${said.warning}</p>`
  })
}

/** The cell has the color as well, since Outlook does not color a link. */
function Button(url: string, label: string, { fill, text }: Palette, radius: number): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="fill" bgcolor="${fill}" style="background:${fill};border-radius:${radius}px">
<a class="fill" href="${url}" style="display:block;padding:12px 32px;border-radius:${radius}px;background:${fill};color:${text};font-weight:600;text-decoration:none">${label}</a>
</td></tr></table>`
}

/** The gap is made by style, so that people copy, and telephones recognize, six digits in a row. */
function Code(code: string, page: string, radius: number, ltr: Markup | false): Markup {
  return html`<p class="page"${ltr} style="margin:0;padding:14px;border-radius:${radius}px;background:${page};text-align:center;font:700 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:3px;-webkit-user-select:all;user-select:all"><span style="padding-right:12px">${code.slice(0, 3)}</span>${code.slice(3)}</p>`
}

/** A time in minutes, from two hours on in hours, rounded down. */
function duration(milliseconds: number): { unit: 'Minutes' | 'Hours'; count: number } {
  // The mail is made a moment after the clock was read.
  const minutes = Math.max(1, Math.round(milliseconds / 60_000))
  if (minutes >= 120) return { unit: 'Hours', count: Math.floor(minutes / 60) }
  return { unit: 'Minutes', count: minutes }
}

/** The device and place of a request, without anything that a mail program takes for a link. */
export function deviceName(device: Device, words: Words): string {
  return fillList(words, nameOfDevice(device, words), placeName(device.place))
}

/** Letters and the signs that names of towns have. No dot before a letter, which would be a link. */
function placeName(place = ''): string {
  const words = place.slice(0, 100).replace(notInNames(), ' ')
  return words.replace(/\.(?=\S)/g, '. ').trim()
}

const notInNames = pattern(String.raw`[^\p{L}\p{M}\p{N},.'\u2019()-]+`, 'gu')

/** The link as a normalized URL, without line breaks and quotes. */
function webUrl(url: string): string {
  // Checked first, because the error of `new URL` quotes the link.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error('The link of a sign-in email is not an http or https URL.')
  }
  return new URL(url).href
}
