import { pattern } from '../../lib/pattern.js'
import { printable } from '../../lib/printable.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { buttonColors, dark, imageUrl, light, type Palette } from '../../pages/theme.js'
import { type Device, nameOfDevice } from '../../session/device.js'
import type { SignInMail, ThemeConfig } from '../../types.js'

/** The contents of a sign-in mail. Every text may be hostile. */
interface MailContent {
  readonly from: string
  readonly to: string
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
 * everybody and so does not reveal who has read the mail.
 *
 * @throws Error when `url` is no http(s) URL
 */
export function signInMail({ from, to, ...content }: MailContent): SignInMail {
  const words = wordsOf(content)
  const page = Page(words, content.theme)
  return { from, to, subject: words.title, text: textOf(words), html: page.toString() }
}

interface Words {
  readonly title: string
  readonly preview: string
  readonly host: string
  readonly url: string
  readonly code: string
  readonly byLink: string
  readonly byCode: string
  readonly limits: string
  readonly device: string
  readonly warning: string
}

function wordsOf(content: Omit<MailContent, 'from' | 'to'>): Words {
  const host = printable(content.host) ?? ''
  const time = duration(content.expires.getTime() - content.now)
  const device = [nameOfDevice(content.device), placeName(content.device.place)]
  const from = device.filter(Boolean).join(', ')
  return {
    // The subject has no code, since a locked telephone shows subjects to anybody who holds it. It
    // also shows the beginning of the mail, so the code comes late there too.
    title: `Sign in to ${host}`,
    preview: `Asked from: ${from}. The link and the code in this mail let you in, for ${time}. If you did not ask, ignore it.`,
    host,
    url: webUrl(content.url),
    code: content.code,
    byLink: 'Sign in on the device where you read this mail:',
    byCode: 'Or type this code on the page where you asked for it:',
    limits: `Use one of the two within ${time}. Neither works a second time.`,
    device: `Asked from: ${from}`,
    warning:
      'If you did not ask for this mail, ignore it: nobody gets in without it. Never give the link or the code to anybody, whoever asks for it.',
  }
}

function textOf(words: Words): string {
  const { title, byLink, url, byCode, code, limits, device, warning } = words
  return `${[title, byLink, url, byCode, code, limits, device, warning].join('\n\n')}\n`
}

/**
 * Tables and inline styles, since mail programs keep little else. The one style sheet is for the
 * dark scheme: programs that drop it show the light colours.
 */
function Page(words: Words, theme: ThemeConfig): Markup {
  const brand = buttonColors(theme.brandColor, theme.buttonText)
  const fixed = (['light', 'dark'] as const).find((scheme) => scheme === theme.colorScheme)
  const scheme = fixed ?? 'light dark'
  const colors = { ...(fixed === 'dark' ? dark : light), ...brand }
  const night = !fixed && nightStyles({ ...dark, ...brand })
  const { page, card, ink, dim, line } = colors
  const logo = imageUrl(theme.logo)
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width"/>
<meta name="color-scheme" content="${scheme}"/>
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no"/>
<title>${words.title}</title>
<style>:root{color-scheme:${scheme}}${night}</style>
</head>
<body class="page" style="margin:0;background:${page}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${words.preview}</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" class="page" style="table-layout:fixed;background:${page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="600" class="card" style="table-layout:fixed;border-collapse:separate;width:100%;max-width:600px;background:${card};border:1px solid ${line};border-radius:16px"><tr><td class="ink" style="padding:32px 24px;color:${ink};font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere;word-break:break-word">
${logo && html`<img${attributes({ src: logo, alt: words.host })} height="40" style="display:block;height:40px;max-width:100%;object-fit:contain;margin:0 0 24px"/>`}
<h1 style="margin:0 0 24px;font-size:24px;line-height:1.25">${words.title}</h1>
<p style="margin:0 0 16px">${words.byLink}</p>
${Button(words.url, colors)}
<p class="dim" style="margin:12px 0 0;color:${dim};font-size:13px;word-break:break-all"><a class="dim" href="${words.url}" style="color:${dim}">${words.url}</a></p>
<p class="line" style="margin:28px 0 16px;padding-top:28px;border-top:1px solid ${line}">${words.byCode}</p>
${Code(words.code, page)}
<p class="dim" style="margin:12px 0 28px;color:${dim};font-size:14px">${words.limits}</p>
<p class="line" style="margin:0;padding-top:24px;border-top:1px solid ${line};font-size:14px">${words.device}</p>
<p class="dim" style="margin:12px 0 0;color:${dim};font-size:14px">${words.warning}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>`
}

/** The cell has the colour as well, since Outlook does not colour a link. */
function Button(url: string, { fill, text }: Palette): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate"><tr><td class="fill" bgcolor="${fill}" style="background:${fill};border-radius:10px">
<a class="fill" href="${url}" style="display:block;padding:12px 32px;border-radius:10px;background:${fill};color:${text};font-weight:600;text-decoration:none">Sign in</a>
</td></tr></table>`
}

/** The gap is made by style, so that people copy, and telephones recognize, six digits in a row. */
function Code(code: string, page: string): Markup {
  return html`<p class="page" style="margin:0;padding:14px;border-radius:10px;background:${page};text-align:center;font:700 32px/1.25 ui-monospace,Menlo,Consolas,monospace;letter-spacing:3px;-webkit-user-select:all;user-select:all"><span style="padding-right:12px">${code.slice(0, 3)}</span>${code.slice(3)}</p>`
}

function nightStyles({ page, card, ink, dim, line, fill, text }: Palette): string {
  const rules = [
    `.page{background:${page}!important}.card{background:${card}!important}`,
    `.card,.line{border-color:${line}!important}`,
    `.ink{color:${ink}!important}.dim{color:${dim}!important}`,
    `.fill{background:${fill}!important;color:${text}!important}`,
  ]
  return `@media(prefers-color-scheme:dark){${rules.join('')}}`
}

/** A time in minutes, from two hours on in hours, rounded down. */
function duration(milliseconds: number): string {
  // The mail is made a moment after the clock was read.
  const minutes = Math.max(1, Math.round(milliseconds / 60_000))
  if (minutes >= 120) return `${Math.floor(minutes / 60)} hours`
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
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
    throw new Error('The link of a sign-in mail is no http or https URL.')
  }
  return new URL(url).href
}
