import { fillParts } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { html, type Markup } from './markup.js'
import { siteName, type Theme } from './theme.js'

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
