import { OLD_SESSIONS_HEADER } from '@latchkey/host/shared'
import type { SessionClaims } from '@latchkey/session'
import { ownCookieNames, toSession } from '@latchkey/session/issue'
import { logEvent } from '../../http/log-event.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import type { AbsentSession } from '../../service/session-hooks.js'
import { emit } from '../../session/callbacks.js'
import { setSessionCookie } from '../../session/issue.js'
import {
  continueOne,
  nameOf,
  type OldSession,
  type Source,
  unlessRefused,
} from './continue-session.js'
import type { SourcesReader } from './index.js'

/** An entry of `migrateFrom`, with all that makes its sessions ours. */
export function source(settings: Omit<Source, 'reader'>): Source {
  return { ...settings, reader }
}

const reader: SourcesReader = {
  together(migrations): AbsentSession {
    const sources = migrations as readonly Source[]
    for (const { fault } of sources) if (fault) throw fault
    return {
      until: Math.max(...sources.map(({ until }) => until)),
      begin: (request) => begin(request, sources),
      answer: (request) => answer(request, sources),
      nobody: (request) => nobody(request, sources),
      end: (request) => end(request, sources),
      mayCome: (request) => sources.some((source) => namesIn(request, source).length > 0),
    }
  },
}

async function answer(request: AuthRequest, sources: readonly Source[]): Promise<Outcome> {
  const claims = request.method === 'HEAD' ? undefined : await begin(request, sources)
  if (claims) {
    const session = toSession(claims)
    await emit(request, 'session', { session })
    return json(session)
  }
  return nobody(request, sources)
}

function nobody(request: AuthRequest, sources: readonly Source[]): Outcome {
  const isOpen = sources.some(({ until }) => until > request.config.now())
  return { kind: 'json', body: null, headers: isOpen ? { [OLD_SESSIONS_HEADER]: '1' } : {} }
}

async function begin(
  request: AuthRequest,
  sources: readonly Source[],
): Promise<SessionClaims | undefined> {
  for (const source of sources) {
    const groups = await sessionsOf(request, source)
    const sessions = groups.find(({ length }) => length > 0)
    const claims =
      sessions &&
      (await unlessRefused(request, { provider: source.id }, () =>
        continueOne(request, source, sessions),
      ))
    if (!claims) continue
    await setSessionCookie(request, claims)
    removeCookies(request, source)
    await logEvent(request, { event: 'moved-in', sub: claims.sub, provider: source.id })
    return claims
  }
  return undefined
}

async function end(request: AuthRequest, sources: readonly Source[]): Promise<void> {
  const { ledger } = request.stores
  for (const source of sources) {
    const sessions = (await sessionsOf(request, source)).flat()
    const uses = sessions.map(async (one) => ledger.consume(await nameOf(source, one), one.ends))
    await Promise.all(uses)
    if (sessions.length > 0) removeCookies(request, source)
  }
}

/**
 * The genuine sessions of a request, a group for each name: first that of the name with the prefix on https, if
 * the old app has set it.
 */
async function sessionsOf(
  request: AuthRequest,
  source: Source,
): Promise<readonly (readonly OldSession[])[]> {
  const { cookieHeader, config, secure } = request
  const names = namesIn(request, source)
  const ordered = secure ? names.toReversed() : names
  const now = config.now()
  const groups = await Promise.all(
    ordered.map((name) => source.find(cookieHeader ?? '', name, now)),
  )
  return groups.map((group) => [...new Map(group.map((one) => [one.handle, one])).values()])
}

/** The names of a source's cookies that a request seems to have. */
function namesIn({ cookieHeader, config }: AuthRequest, { until, cookies }: Source): string[] {
  if (!cookieHeader || until <= config.now()) return []
  return cookies.filter((name) => cookieHeader.includes(name))
}

/** More cookies of a session fit no header. */
const MAX_REMOVED = 64

/** Removes the cookies of the old library, with all their parts. */
function removeCookies(request: AuthRequest, { removed }: Source): void {
  const names = removed.flatMap((name) => ownCookieNames(request.cookieHeader, name))
  for (const name of names.slice(0, MAX_REMOVED)) {
    const secure = request.secure || /^__(?:host|secure)-/i.test(name)
    const options = { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge: 0 } as const
    request.setCookies.push({ name, value: '', options })
  }
}
