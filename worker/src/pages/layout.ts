import { raw } from 'hono/utils/html'
import { fill, fillParts } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { attributes, html, type Markup } from './markup.js'
import { initial } from './signed-in-as.js'
import { LINKS, linkUrl, logoOf, type Scheme, siteName, type Theme } from './theme.js'

/**
 * A script of a page: our own text, which may ask our own routes unless it is silent, or one of another origin, which
 * may then show frames and run there.
 */
export type PageScript =
  | { readonly code: string; readonly isSilent?: true }
  | { readonly src: string }

/**
 * The whole document around a page. `css` must be our own style sheet, and `code` our own script: the exact
 * texts that the Content-Security-Policy hashes.
 */
export function Document(props: {
  words: Words
  theme: Theme
  title: string
  css: string
  page: Markup
  scripts?: readonly PageScript[] | undefined
}): Markup {
  const { theme, words, title } = props
  const { language, direction } = words
  const dir = direction === 'rtl' && html` dir="rtl"`
  // Without the icon every page view asks the Worker for /favicon.ico.
  return html`<!DOCTYPE html><html lang="${language}"${dir}><head><meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="robots" content="noindex"/>
      <title>${tabOf(title, siteName(theme.name), words)}</title>
      <link rel="icon" href="data:,"/>
      <style>${raw(props.css)}</style>
    </head>
    <body>${props.page}${Foot(theme, words)}${props.scripts?.map(Script)}</body>
    </html>`
}

/** Adds the site's name to a page title that lacks it. */
function tabOf(title: string, name: string | undefined, { texts }: Words): string {
  return name === undefined || title.includes(name) ? title : fill(texts.site.tab, { title, name })
}

function Foot(theme: Theme, { texts }: Words): Markup | false {
  const links = LINKS.flatMap((name) => {
    const url = linkUrl(theme.links?.[name])
    return url === undefined ? [] : html`<a href="${url}">${texts.site[name]}</a>`
  })
  return links.length > 0 && html`<footer>${links}</footer>`
}

function Script(script: PageScript): Markup {
  if ('code' in script) return html`<script>${raw(script.code)}</script>`
  return html`<script src="${script.src}" async defer></script>`
}

/**
 * The card of each page: the operator's logo, or else a plain mark, the name of the site, a title and the contents. The
 * name is shown, or read out, once. It is wide if a page has lists.
 */
export function Card(props: {
  theme: Theme
  title: string
  isWide?: true
  /** One line below the title. */
  lead?: string | undefined
  content: Markup
}): Markup {
  const logo = logoOf(props.theme)
  const name = siteName(props.theme.name)
  const unsaid = name !== undefined && !props.title.includes(name) ? name : ''
  return html`
    <main${attributes({ class: props.isWide && 'wide' })}>
      <header>
        ${logo ? Logo(logo, unsaid) : Mark(name)}
        ${!logo && unsaid && html`<p class="site">${unsaid}</p>`}
        <h1>${props.title}</h1>
        ${props.lead && html`<p class="lead">${props.lead}</p>`}
      </header>
      ${props.content}
    </main>`
}

function Logo({ light, dark }: Record<Scheme, string>, alt: string): Markup {
  const img = html`<img src="${light}" alt="${alt}"/>`
  // A space would end the address, and a comma begin another one.
  return light === dark
    ? img
    : html`
    <picture>
      <source media="(prefers-color-scheme:dark)" srcset="${new URL(dark).href.replaceAll(',', '%2C')}"/>
      ${img}
    </picture>`
}

/** The first letter of a name, or a keyhole. */
function Mark(name?: string): Markup {
  return html`
    <svg class="mark" width="44" height="44" viewBox="0 0 44 44" aria-hidden="true">
      <rect width="44" height="44" rx="12" fill="currentColor"/>
      ${
        name
          ? html`<text x="22" y="30" text-anchor="middle" font-size="23" font-weight="650">${initial(name)}</text>`
          : html`<path d="M22 11a7 7 0 0 0-3.6 13L16.5 33h11l-1.9-9A7 7 0 0 0 22 11z"/>`
      }
    </svg>`
}

/** A text whose one parameter, a name or an address, is on a line of its own. */
export function WithOwnLine(text: string, value: string): Markup {
  const [before = '', ...parts] = text.split(/\s*\{\w+\}\s*/)
  // A text of the app's own may name it again.
  const after = parts.join(` ${value} `)
  // A full stop stays where the name is.
  const rest = after.length > 1 ? html`<br/>${after}` : after
  return html`${before}${before && html`<br/>`}<strong>${value}</strong>${rest}`
}

/**
 * The hidden fields of every form that changes something: the double-submit token, and the address
 * to go to afterwards.
 */
export function HiddenFields(props: {
  csrfToken: string
  callbackUrl: string
  /** How fresh a sign-in was asked for, in seconds: errors lead back to the page that asks for it. */
  maxAge?: number | undefined
  /** How strong a sign-in was asked for. */
  acr?: string | undefined
}): Markup {
  const { maxAge, acr } = props
  return html`
    <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
    <input type="hidden" name="callbackUrl" value="${props.callbackUrl}"/>
    ${maxAge !== undefined && html`<input type="hidden" name="maxAge" value="${maxAge}"/>`}
    ${acr !== undefined && html`<input type="hidden" name="acr" value="${acr}"/>`}`
}

/** The way back to the app, at the end of a page: to its own page, `home`. */
export function BackLink(props: {
  theme: Theme
  words: Words
  home?: string | undefined
}): Markup | undefined {
  const { theme, words, home } = props
  const link = home && pageUrl(home)
  if (!link) return undefined
  const name = html`<bdi>${siteName(theme.name) ?? URL.parse(link)?.host}</bdi>`
  return html`<p class="mid back"><a href="${link}">${fillParts(words.texts.parts.back, { name })}</a></p>`
}

/** The URL if a page may link to it: a path of ours, or http(s). */
export function pageUrl(url: string): string | undefined {
  const isPath = /^\/(?![/\\])/.test(url)
  return isPath || /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : undefined
}
