import type { Words } from '../../languages/texts.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { type Palette, paletteOf } from '../../pages/palette.js'
import { initial } from '../../pages/signed-in-as.js'
import { logoOf, RADIUS, radiusOf, SCHEMES, siteName } from '../../pages/theme.js'
import type { ThemeConfig } from '../../types.js'

/** The contents of a mail's frame. Every text may be hostile. */
interface MailPageProps {
  words: Words
  title: string
  /** What mail programs show beside the subject. */
  preview: string
  host: string
  theme: ThemeConfig
}

/**
 * The whole document of a mail. Tables and inline styles, since mail programs keep little else. The
 * one style sheet is for the dark scheme: programs that drop it show the light colors.
 *
 * @param content for the colors that it is shown in
 */
export function MailPage(props: MailPageProps, content: (colors: Palette) => Markup): Markup {
  const { words, title, preview, host, theme } = props
  // On the cell too, since many programs drop the attributes of <html>.
  const dir = words.direction === 'rtl' && html` dir="rtl"`
  const fixed = SCHEMES.find((scheme) => scheme === theme.colorScheme)
  const scheme = fixed ?? 'light dark'
  const colors = paletteOf(theme, fixed ?? 'light')
  const night = !fixed && nightStyles(paletteOf(theme, 'dark'))
  const { page, card, ink, line } = colors
  const name = siteName(theme.name)
  // Mail programs know no picture for the dark.
  const logo = logoOf(theme)?.[fixed ?? 'light']
  return html`<!DOCTYPE html>
<html lang="${words.language}"${dir}>
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width"/>
<meta name="color-scheme" content="${scheme}"/>
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no"/>
<title>${title}</title>
<style>:root{color-scheme:${scheme}}${night}</style>
</head>
<body class="page" style="margin:0;background:${page}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preview}</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" class="page" style="table-layout:fixed;background:${page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="600" class="card" style="table-layout:fixed;border-collapse:separate;width:100%;max-width:600px;background:${card};border:1px solid ${line};border-radius:${Math.round(1.6 * mailRadius(theme))}px"><tr><td class="ink"${dir} style="padding:32px 24px;color:${ink};font:16px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere;word-break:break-word">
${!logo && name && Mark(name, colors)}${logo && html`<img${attributes({ src: logo, alt: name ?? host })} height="40" style="display:block;height:40px;max-width:100%;object-fit:contain;margin:0 0 24px"/>`}
<h1 style="margin:0 0 24px;font-size:24px;line-height:1.25">${title}</h1>
${content(colors)}
</td></tr></table>
</td></tr></table>
</body>
</html>`
}

/** How round buttons are. Pixels, which every mail program knows. */
export function mailRadius({ radius }: ThemeConfig): number {
  return Math.round(16 * (radiusOf(radius) ?? RADIUS))
}

/** The first letter of a name, as the pages have it if there is no logo. A mail has no room for other drawings. */
function Mark(name: string, { fill, text }: Palette): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse:separate;margin:0 0 24px"><tr><td class="fill" aria-hidden="true" width="44" height="44" align="center" bgcolor="${fill}" style="width:44px;height:44px;background:${fill};border-radius:12px;color:${text};font-size:23px;font-weight:600;line-height:44px">${initial(name)}</td></tr></table>`
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
