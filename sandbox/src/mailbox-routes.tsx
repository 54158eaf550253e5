import type { Context, Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { isLoopback } from './clients.js'
import { createMailbox, parseMail } from './mailbox.js'
import { MailboxPage, MailPage, mailSandbox, NoMailPage } from './mailbox-pages.js'
import { ErrorPage, sendPage } from './page.js'
import type { LogVariables } from './request-log.js'

/** Bytes. Gmail cuts a mail at 102 KB; no sign-in mail is larger. */
const maximumBytes = 256 * 1024

/** `sandbox` also when the document is opened by itself; nothing is fetched from anywhere. */
const mailPolicy = [
  `sandbox ${mailSandbox}`,
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/**
 * Adds the mailbox: a sender that has `key` hands in mails at `POST /mailbox`, and people and tests
 * on this machine read them.
 */
export const addMailbox = (app: Hono<LogVariables>, key: string, now: () => number): void => {
  const mailbox = createMailbox(now)
  const named = (c: Context<LogVariables, '/mailbox/:id'>) => mailbox.get(Number(c.req.param('id')))
  const notFound = (c: Context<LogVariables, '/mailbox/:id'>) =>
    sendPage(c, <NoMailPage id={c.req.param('id')} />, 404)

  for (const path of ['/mailbox', '/mailbox.json', '/mailbox/*']) {
    app.use(path, async (c, next) => {
      // A website with a name that resolves to this machine would count as the same origin (DNS
      // rebinding).
      if (isLoopback(new URL(c.req.url).hostname)) return next()
      const reason = 'The mailbox is read on this machine only, at localhost.'
      return sendPage(c, <ErrorPage error="access_denied" reason={reason} />, 403)
    })
  }
  app.post(
    '/mailbox',
    bearerAuth({ token: key }),
    bodyLimit({ maxSize: maximumBytes }),
    async (c) => {
      const mail = parseMail(await c.req.json().catch(() => undefined))
      if (typeof mail === 'string') return c.json({ error: `This is not a mail: ${mail}.` }, 400)
      const { id } = mailbox.add(mail)
      return c.json({ id }, 201, { Location: `/mailbox/${id}` })
    },
  )
  app.get('/mailbox', (c) => sendPage(c, <MailboxPage mails={mailbox.list()} />))
  app.get('/mailbox.json', (c) =>
    c.json(mailbox.list(), 200, {
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    }),
  )
  app.get('/mailbox/:id', (c) => {
    const mail = named(c)
    return mail ? sendPage(c, <MailPage mail={mail} />) : notFound(c)
  })
  app.get('/mailbox/:id/html', (c) => {
    const mail = named(c)
    if (!mail || mail.html === '') return notFound(c)
    c.header('Content-Security-Policy', mailPolicy)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    c.header('Cache-Control', 'no-store')
    // The first <base> of a document counts: a link navigates the window, not the frame.
    return c.html(`<!doctype html><base target="_top">${mail.html}`)
  })
}
