import { authHandler, requireSession, session } from '@latchkey/hono'
import email from '@latchkey/hono/providers/email'
import { type AuthConfig, createAuth, type Environment } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { callbacksFor, type Role } from './claims.js'
import type { Database } from './database.js'
import { openInvitation, sealInvitation } from './invitation-link.js'
import { acceptInvitation, invite, invitedTo } from './invitations.js'
import {
  createOrganisation,
  forgetPerson,
  membersOf,
  organisationsOf,
  type Person,
  removeMember,
  removeOrganisation,
  roleIn,
  setRole,
} from './members.js'
import { Home, Join, Message } from './pages.js'

interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}

/** What a Worker and a process of Node have in different ways. */
interface Parts {
  readonly db: Database
  /** Sends the mails of the sign-in and the invitations. */
  readonly send: (mail: Mail) => Promise<unknown>
  /** The variables and bindings. `AUTH_SECRET` seals the invitations too. */
  readonly env: Environment
  /** The origin of the app, such as `https://app.example.com`. A mail never links to the `Host` of a request. */
  readonly origin: string
  /** Where sessions are kept. In a Worker its bindings say it. */
  readonly store?: NonNullable<AuthConfig['store']>
}

const FROM = 'sign-in@example.com'
const nowInSeconds = () => Math.floor(Date.now() / 1000)

/** An app with members, roles and invitations. The same on Workers and on Node. */
export function createApp({ db, send, env, origin, store }: Parts): Hono {
  const config = {
    basePath: '/auth',
    providers: [email({ from: FROM, sendVerificationRequest: ({ mail }) => send(mail) })],
    callbacks: callbacksFor((organisation, person) => roleIn(db, organisation, person)),
    accountDeletion: true,
    // APIs and their clients, if variables name some: docs/authorization-server.md.
    features: [authorizationServer()],
    events: { deletePerson: ({ sub }) => forgetPerson(db, sub) },
    ...(store ? { store } : {}),
  } satisfies AuthConfig
  const auth = createAuth(config)

  /** The change is stored: if this fails, it counts when the token ends, five minutes later at most. */
  const refresh = (sub: string) =>
    auth.refreshClaims({ sub }, env).catch((error: Error) => console.error(error.message))

  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  // A form of another site is refused.
  app.use(csrf(), bodyLimit({ maxSize: 10_000 }))
  app.use(async (c, next) => {
    c.header('referrer-policy', 'no-referrer')
    await next()
  })

  app.get('/', session(config), async (c) => {
    const { user, organisation } = c.var.session ?? {}
    if (!user?.id) return c.html(Home({}))
    // The claim is up to 15 seconds old, and the table is here: a removed member sees nothing more.
    const own = await organisationsOf(db, user.id)
    const active = own.find(({ id }) => id === organisation)
    const members = active ? await membersOf(db, active.id) : []
    return c.html(Home({ user, active, own, members }))
  })
  app.get('/api/me', session(config), (c) => c.json(c.var.session))

  app.get('/join', session(config), async (c) => {
    const sealed = c.req.query('invitation') ?? ''
    const id = await openInvitation(env, sealed)
    if (!id) return noInvitation(c)
    const page = `/join?invitation=${encodeURIComponent(sealed)}`
    if (!c.var.session) {
      return c.redirect(`/auth/signin?callbackUrl=${encodeURIComponent(page)}`)
    }
    const person = personOf(c)
    const organisation = person && (await invitedTo(db, id, person, nowInSeconds()))
    // Only a click uses it up: mail scanners follow links too.
    return organisation ? c.html(Join({ sealed, name: organisation.name })) : noInvitation(c)
  })

  app.use(requireSession({ redirectTo: '/auth/signin' }, config))

  app.post('/join', async (c) => {
    const { invitation = '' } = await formOf(c)
    const [id, person] = [await openInvitation(env, invitation), personOf(c)]
    const isTaken = id && person && (await acceptInvitation(db, id, person, nowInSeconds()))
    return isTaken ? c.redirect('/', 303) : noInvitation(c)
  })

  app.post('/organisations', async (c) => {
    const { name = '' } = await formOf(c)
    const person = personOf(c)
    return done(c, person && (await createOrganisation(db, person, name)))
  })

  app.post('/organisations/remove', async (c) => {
    const people = await removeOrganisation(db, await askerOf(c))
    for (const person of people) await refresh(person)
    return done(c, people.length > 0)
  })

  app.post('/invitations', async (c) => {
    const asker = await askerOf(c)
    const { address = '', role = '' } = await formOf(c)
    const made = isRole(role) && (await invite(db, asker, address, role, nowInSeconds()))
    if (!made) return done(c, false)
    const link = new URL('/join', origin)
    link.searchParams.set('invitation', await sealInvitation(env, made.id, made.expires))
    const text = `You are invited to an organization. The link works for three days, once, and for this address alone:\n\n${link}\n`
    await send({ from: FROM, to: made.email, subject: 'An invitation', text })
    return done(c, true)
  })

  app.post('/members/role', async (c) => {
    const asker = await askerOf(c)
    const { person = '', role = '' } = await formOf(c)
    const isSet = isRole(role) && (await setRole(db, asker, person, role))
    if (isSet) await refresh(person)
    return done(c, isSet)
  })

  app.post('/members/remove', async (c) => {
    const asker = await askerOf(c)
    const { person = '' } = await formOf(c)
    const isRemoved = await removeMember(db, asker, person)
    if (isRemoved) await refresh(person)
    return done(c, isRemoved)
  })
  return app
}

/** With an address that they have proved; a name that somebody has chosen proves nothing. */
function personOf(c: Context): Person | undefined {
  const { id, email, emailVerified } = c.var.session?.user ?? {}
  return id && email && emailVerified === true ? { id, email } : undefined
}

/** The form names its organization, so that a tab from before a switch changes nothing in the new one. */
async function askerOf(c: Context) {
  const { user, organisation = '' } = c.var.session ?? {}
  const form = await formOf(c)
  const isActive = form.organisation === organisation
  return { organisation: isActive ? organisation : '', person: user?.id ?? '' }
}

async function formOf(c: Context): Promise<Readonly<Record<string, string | undefined>>> {
  const fields = Object.entries(await c.req.parseBody())
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

function isRole(text: string): text is Role {
  return text === 'admin' || text === 'member'
}

function done(c: Context, isDone: unknown) {
  return isDone ? c.redirect('/', 303) : c.html(Message('This is not possible.'), 403)
}

/** The same answer for each reason, so that a stranger does not learn if an invitation exists. */
function noInvitation(c: Context) {
  const text = 'This invitation is not for the address that you are signed in with, or it is over.'
  return c.html(Message(text), 403)
}
