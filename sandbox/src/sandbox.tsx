import { Hono } from 'hono'
import { handleAuthorize, handleDecision } from './authorize.js'
import { defaultClient, registerClients, type SandboxClient } from './clients.js'
import type { SandboxContext } from './context.js'
import { toHex } from './digest.js'
import { createGrants, type Lifetimes } from './grants.js'
import { HomePage } from './home-page.js'
import { addMailbox } from './mailbox-routes.js'
import { OwnAppPage, ownAppPath } from './own-app-page.js'
import { ErrorPage, sendPage } from './page.js'
import { type Person, testPeople } from './people.js'
import { type LogVariables, recordTo, type SandboxRequest } from './request-log.js'
import { styles } from './styles.js'
import { handleRevoke, handleToken } from './token.js'
import { handleUserInfo } from './user-info.js'
import { handlePublish, handleVideoList } from './video-routes.js'
import { createVideos } from './videos.js'

/** The options of {@link createSandbox}: its clients, people, clock and tokens. */
export interface SandboxOptions {
  /** Default: `[defaultClient]`. */
  readonly clients?: readonly SandboxClient[]
  /** Default: `testPeople`. */
  readonly people?: readonly Person[]
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number
  /** That many random bytes. Default: from WebCrypto. */
  readonly random?: (length: number) => Uint8Array
  /** Seconds. Default: code 60, access token 7,200 (2 h), refresh token 15,552,000 (180 d). */
  readonly lifetimes?: Partial<Lifetimes>
  /** Status of an error at the token and revoke endpoints. Default 200, the trap of the real one. */
  readonly tokenErrorStatus?: 200 | 400
  /**
   * A sender that has this key may hand in mails at `POST /mailbox`. Default: there is no mailbox.
   */
  readonly mailboxKey?: string
}

/** A Hono app that remembers its requests. */
export type Sandbox = Hono<LogVariables> & {
  /** The last 1,000 requests to `/v2/…`, oldest first, without secrets. */
  readonly requests: readonly SandboxRequest[]
  /** The titles of the videos that were posted in a person's name, newest first. */
  readonly postedBy: (personId: string) => readonly string[]
  /** Ends what a person has allowed, as they do it in their own settings. */
  readonly endGrants: (personId: string) => void
}

/**
 * The video app's OAuth server, with all its state in memory. With `mailboxKey`, also a mailbox for
 * the mails of the Worker under development: `/mailbox` for people, `/mailbox.json` for tests.
 *
 * @throws {TypeError} when a client could not be registered at the real one.
 * @example
 * const sandbox = createSandbox()
 * const network: typeof fetch = async (input, init) => sandbox.request(input as string, init)
 */
export const createSandbox = (options: SandboxOptions = {}): Sandbox => {
  const now = options.now ?? Date.now
  const random =
    options.random ?? ((length: number) => crypto.getRandomValues(new Uint8Array(length)))
  const lifetimes = {
    code: 60,
    accessToken: 2 * 60 * 60,
    refreshToken: 180 * 24 * 60 * 60,
    ...options.lifetimes,
  }
  const context: SandboxContext = {
    clients: registerClients(options.clients ?? [defaultClient]),
    people: options.people ?? testPeople,
    grants: createGrants({ now, random, lifetimes }),
    videos: createVideos(now),
    tokenErrorStatus: options.tokenErrorStatus ?? 200,
    logId: () =>
      `${new Date(now()).toISOString().replace(/\D/g, '').slice(0, 14)}${toHex(random(9)).toUpperCase()}`,
  }
  const requests: SandboxRequest[] = []
  const app = new Hono<LogVariables>()

  app.use('/v2/*', recordTo(requests, now))
  app.get('/', (c) =>
    sendPage(
      c,
      <HomePage clients={[...context.clients.values()]} hasMailbox={Boolean(options.mailboxKey)} />,
    ),
  )
  app.get(ownAppPath, (c) => {
    const [clientKey = ''] = context.clients.keys()
    return sendPage(c, <OwnAppPage origin={new URL(c.req.url).origin} clientKey={clientKey} />)
  })
  app.get('/sandbox.css', (c) => c.body(styles, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
  app.get('/v2/auth/authorize/', (c) => handleAuthorize(c, context))
  app.post('/v2/auth/authorize/', (c) => handleDecision(c, context))
  app.post('/v2/oauth/token/', (c) => handleToken(c, context))
  app.post('/v2/oauth/revoke/', (c) => handleRevoke(c, context))
  app.get('/v2/user/info/', (c) => handleUserInfo(c, context))
  app.post('/v2/post/publish/video/init/', (c) => handlePublish(c, context))
  app.post('/v2/video/list/', (c) => handleVideoList(c, context))
  if (options.mailboxKey) addMailbox(app, options.mailboxKey, now)
  app.notFound((c) => {
    const reason = `There is no ${c.req.method} ${c.req.path}; paths end with a slash.`
    return c.req.path.startsWith('/v2/')
      ? c.json({ error: 'not_found', error_description: reason, log_id: context.logId() }, 404)
      : sendPage(c, <ErrorPage error="not_found" reason={reason} />, 404)
  })

  const postedBy = (personId: string) => context.videos.of(personId).map(({ title }) => title)
  const { endOf: endGrants } = context.grants
  return Object.assign(app, { requests, postedBy, endGrants })
}
