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
  /** Where forms may lead beside this origin. Left out: to every https address. */
  formsTo?: readonly string[] | undefined
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
  { words, title, theme, styles, status, secure, scripts, formsTo }: HtmlResponseOptions,
): Promise<Response> {
  const css = stylesheet(theme, styles)
  const headers = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': await contentSecurityPolicy(css, secure, scripts, formsTo),
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
 * `form-action` cannot be `'self'` alone: Chromium holds every redirect that follows a submission to it,
 * and authorization servers redirect to origins that nobody can list (a company's own login, say).
 * If we are on plain http, as in development, the provider and the app are often too. A page that knows where its form
 * leads, such as that of a consent, allows nothing else.
 */
async function contentSecurityPolicy(
  css: string,
  secure: boolean,
  scripts: readonly PageScript[] = [],
  formsTo: readonly string[] = secure ? ['https:'] : ['https:', 'http:'],
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
    `form-action ${["'self'", ...formsTo].join(' ')}`,
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
