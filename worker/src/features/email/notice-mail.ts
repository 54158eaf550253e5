import { fill } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { printable } from '../../lib/printable.js'
import { html } from '../../pages/markup.js'
import type { Device } from '../../session/device.js'
import type { SignInMail, ThemeConfig } from '../../types.js'
import { deviceName } from './mail.js'
import { MailPage } from './mail-page.js'

/** The contents of a mail without a link to sign in. The host and the device may be hostile. */
interface NoticeContent {
  readonly words: Words
  readonly from: string
  readonly to: string
  readonly title: string
  /** Paragraphs. */
  readonly lines: readonly string[]
  /** The last one, with the parameters `{host}` and `{device}`. */
  readonly where?: string
  readonly host: string
  readonly device: Device
  readonly theme: ThemeConfig
}

/**
 * A mail that announces a change, as text and as HTML with the same contents. It has no link at
 * all.
 */
export function noticeMail({
  from,
  to,
  words,
  title,
  theme,
  where = words.texts.notices.where,
  ...content
}: NoticeContent): SignInMail {
  const host = printable(content.host) ?? ''
  const device = deviceName(content.device, words)
  const lines = [...content.lines, fill(where, { host, device })]
  const [preview = ''] = lines
  const page = MailPage(
    { words, title, preview, host, theme },
    () => html`${lines.map((line) => html`<p style="margin:0 0 16px">${line}</p>`)}`,
  )
  return {
    from,
    to,
    subject: title,
    text: `${[title, ...lines].join('\n\n')}\n`,
    html: page.toString(),
  }
}
