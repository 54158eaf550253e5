import type { FC } from 'hono/jsx'
import { codeIn, linkIn } from './mail-content.js'
import type { SandboxMail } from './mailbox.js'
import { Layout } from './page.js'

/** Workers know no time zone, and a page without scripts cannot ask the browser for its own. */
const Time: FC<{ at: number }> = ({ at }) => {
  const iso = new Date(at).toISOString()
  return <time datetime={iso}>{iso.slice(11, 19)} UTC</time>
}

const subjectOf = (mail: SandboxMail): string => mail.subject.trim() || '(no subject)'

/** The list of mails, newest first. */
export const MailboxPage: FC<{ mails: readonly SandboxMail[] }> = ({ mails }) => (
  <Layout title="Mailbox" {...(mails.length === 0 && { refreshAfter: 3 })}>
    <h1>Mailbox</h1>
    {mails.length === 0 ? (
      <p>No mail yet. This page looks again every three seconds.</p>
    ) : (
      <ul class="mails">
        {mails.map((mail) => (
          <li>
            <a href={`/mailbox/${mail.id}`}>
              <strong dir="auto">{subjectOf(mail)}</strong>
              <small>
                To <bdi>{mail.to}</bdi> at <Time at={mail.at} />
              </small>
            </a>
          </li>
        ))}
      </ul>
    )}
    <p class="quiet">
      {mails.length > 0 && (
        <>
          <a href="/mailbox">Look again</a>.{' '}
        </>
      )}
      None of it leaves this machine. The newest 50 are kept until the process ends.
    </p>
  </Layout>
)

const Code: FC<{ code: string }> = ({ code }) => (
  <p>
    <span class="label">Code</span>
    <code class="mail-code">
      <span>{code.slice(0, 3)}</span>
      <span>{code.slice(3)}</span>
    </code>
  </p>
)

/** The mail's link and its code: what a person opens most mails for. */
const Essence: FC<{ text: string }> = ({ text }) => {
  const link = linkIn(text)
  const code = codeIn(text)
  if (link === undefined && code === undefined) return null
  return (
    <section class="essence" aria-label="Link and code">
      {link && (
        <p>
          <a class="button" href={link.href} rel="noreferrer">
            Open the link
          </a>
          <small>
            Leads to <bdi>{link.origin + link.pathname}</bdi>
          </small>
        </p>
      )}
      {code && <Code code={code} />}
    </section>
  )
}

/**
 * One mail. Its HTML is a document of its own: it can be read and its links followed, nothing else.
 */
export const MailPage: FC<{ mail: SandboxMail }> = ({ mail }) => (
  <Layout title={subjectOf(mail)}>
    <h1 dir="auto">{subjectOf(mail)}</h1>
    <dl class="facts">
      <dt>To</dt>
      <dd>
        <bdi>{mail.to}</bdi>
      </dd>
      <dt>From</dt>
      <dd>
        <bdi>{mail.from}</bdi>
      </dd>
      <dt>Sent</dt>
      <dd>
        <Time at={mail.at} />
      </dd>
    </dl>
    <Essence text={mail.text} />
    {mail.html !== '' && (
      <>
        <h2>As a mail program shows it</h2>
        <iframe
          title="The mail’s HTML"
          src={`/mailbox/${mail.id}/html`}
          sandbox={mailSandbox}
          referrerpolicy="no-referrer"
        />
      </>
    )}
    {mail.text !== '' && (
      <>
        <h2>As text</h2>
        <pre dir="auto">{mail.text}</pre>
      </>
    )}
    <p class="quiet">
      <a href="/mailbox">All mails</a>
    </p>
  </Layout>
)

export const NoMailPage: FC<{ id: string }> = ({ id }) => (
  <Layout title="No such mail">
    <h1>There is no mail {id}</h1>
    <p role="alert">The sandbox keeps the newest 50 mails, and loses them when it restarts.</p>
    <p class="quiet">
      <a href="/mailbox">All mails</a>
    </p>
  </Layout>
)

/**
 * Permissions of a mail's HTML: a click on a link may navigate the whole window or open a new one.
 * No script, no form, no origin, and nothing without a click.
 */
export const mailSandbox =
  'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation'
