import { Document } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'
import { stylesheet } from '../pages/styles.js'
import type { Theme } from '../pages/theme.js'
import { hardened } from './hardened.js'

/** The title, theme and status of a page. */
export interface HtmlResponseOptions {
  title: string
  theme: Theme
  status: number
  /** The public origin is https. */
  secure: boolean
}

/**
 * A page as a response that cannot be stored, framed or scripted.
 *
 * @example
 * const page = ErrorPage({ theme, base: '/auth', error: 'AccessDenied' })
 * return htmlResponse(page, { title: 'Access denied', theme, status: 403, secure: true })
 */
export async function htmlResponse(
  page: Markup,
  { title, theme, status, secure }: HtmlResponseOptions,
): Promise<Response> {
  const css = stylesheet(theme)
  const headers = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'private, no-store',
    'Content-Security-Policy': contentSecurityPolicy(await sha256(css), secure),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'X-Frame-Options': 'DENY',
  })
  return hardened(new Response(String(Document({ title, css, page })), { status, headers }), secure)
}

/**
 * Allows only our own style sheet, pictures, and forms. A hash needs no randomness and no attribute
 * in the markup.
 *
 * `form-action` cannot be `'self'`: Chromium holds every redirect that follows a submission to it, and authorization
 * servers redirect to origins that nobody can list (a company's own login, say). Where we are on plain http, as in
 * development, the provider and the app are often too.
 */
function contentSecurityPolicy(styleHash: string, secure: boolean): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src https: data:',
    `form-action 'self' https:${secure ? '' : ' http:'}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
