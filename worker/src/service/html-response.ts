import type { Words } from '../languages/texts.js'
import { Document, type PageScript } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'
import { stylesheet } from '../pages/styles.js'
import type { Theme } from '../pages/theme.js'
import { withSecurityHeaders } from './security-headers.js'

/** The language, title, theme and status of a page. */
export interface HtmlResponseOptions {
  words: Words
  title: string
  theme: Theme
  /** Rules of CSS besides those of the core. */
  styles?: string
  status: number
  /** The public origin is https. */
  secure: boolean
  /** Left out: none may run. */
  scripts?: readonly PageScript[] | undefined
}

/**
 * A page as a response that cannot be stored or framed, and runs no script but those that it names.
 *
 * @example
 * const page = ErrorPage({ theme, words, base: '/auth', error: 'AccessDenied' })
 * return htmlResponse(page, { words, title: 'Access denied', theme, status: 403, secure: true })
 */
export async function htmlResponse(
  page: Markup,
  { words, title, theme, styles, status, secure, scripts }: HtmlResponseOptions,
): Promise<Response> {
  const css = stylesheet(theme, styles)
  const headers = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': await contentSecurityPolicy(css, scripts),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'X-Frame-Options': 'DENY',
  })
  const document = String(Document({ theme, words, title, css, page, scripts }))
  return withSecurityHeaders(new Response(document, { status, headers }), secure)
}

/**
 * Allows only our own style sheet, pictures, forms, and the page's scripts. A hash needs no randomness and no
 * attribute in the markup. Our own scripts may ask our own routes, unless they are silent; one of another origin may ask that alone.
 *
 * There is no `form-action`. Chromium holds every redirect that follows a submission to it, without a word to the person, and
 * nobody can list them: a provider redirects to a company's own login, and an app's callback to another origin, or to a
 * scheme such as `com.example.app:`, for which a policy has no wildcard. Our forms lead to this origin: each value is
 * escaped, so that no other form gets into a page.
 */
async function contentSecurityPolicy(
  css: string,
  scripts: readonly PageScript[] = [],
): Promise<string> {
  const sources = await Promise.all(scripts.map(sourceOf))
  const origins = scripts.flatMap((script) => ('src' in script ? new URL(script.src).origin : []))
  const mayAsk = scripts.some((script) => 'code' in script && !script.isSilent)
  return [
    "default-src 'none'",
    `style-src 'sha256-${await sha256(css)}'`,
    ...(sources.length > 0 ? [`script-src ${sources.join(' ')}`] : []),
    ...(mayAsk ? ["connect-src 'self'"] : []),
    ...(origins.length > 0 ? [`frame-src ${origins.join(' ')}`] : []),
    'img-src https: data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function sourceOf(script: PageScript): Promise<string> {
  return 'code' in script ? `'sha256-${await sha256(script.code)}'` : new URL(script.src).origin
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
