import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Child, FC } from 'hono/jsx'
import type { LogVariables } from './request-log.js'

/**
 * No script at all. Chromium applies `form-action` to every redirect that follows a form, also to
 * those of the app that gets the code; redirect URIs are https or on this machine, nothing else.
 */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  // For the HTML of a mail, which has a stricter policy of its own.
  "frame-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self' https: http://localhost:* http://127.0.0.1:*",
].join('; ')

/** Sends a page with the headers that every page has. */
export const sendPage = (
  c: Context<LogVariables>,
  page: Child,
  status: 200 | 400 | 403 | 404 = 200,
) => {
  c.header('Content-Security-Policy', policy)
  c.header('X-Content-Type-Options', 'nosniff')
  // Not no-referrer: that would take the origin away from the form's own request.
  c.header('Referrer-Policy', 'same-origin')
  c.header('Cache-Control', 'no-store')
  return c.html(html`<!doctype html>${page}`, status)
}

interface LayoutProps {
  readonly title: string
  /** Seconds until the browser asks for the page again. Default: never. */
  readonly refreshAfter?: number
  readonly children?: Child
}

export const Layout: FC<LayoutProps> = ({ title, refreshAfter, children }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {refreshAfter !== undefined && <meta http-equiv="refresh" content={String(refreshAfter)} />}
      <title>{`${title} – Video App Sandbox`}</title>
      <link rel="stylesheet" href="/sandbox.css" />
    </head>
    <body>
      <header>
        <span class="mark" aria-hidden="true" />
        Video App Sandbox
      </header>
      <main>{children}</main>
      <footer>A stand-in for development. Nobody here is real.</footer>
    </body>
  </html>
)

export const ErrorPage: FC<{ error: string; reason: string; children?: Child }> = (props) => (
  <Layout title="Request refused">
    <h1>This request was refused</h1>
    <p role="alert">{props.reason}</p>
    <p class="quiet">
      Error code <code>{props.error}</code>. {props.children}
    </p>
  </Layout>
)
