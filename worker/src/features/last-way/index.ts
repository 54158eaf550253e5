import { cookieValues } from '@latchkey/session/internal'
import { addCookie, ownCookieName } from '../../http/cookies.js'
import type { AuthRequest } from '../../http/request.js'
import type { Feature } from '../../service/feature.js'
import { styles } from './styles.js'
import { texts } from './texts.js'

/** The sign-in page marks the provider that the browser has signed in with last, which a cookie keeps. */
export const lastWay: Feature = {
  name: 'last-way',
  pages: { texts, styles },
  session: { marked: rememberWay, forgotten: forgetWay },
  ports: { lastUsed },
}

/** How long a browser keeps by which way it has signed in. Seconds. */
const MAX_AGE = 365 * 24 * 60 * 60

/**
 * Remembers in the browser the provider of the last sign-in, if there are several. It says nothing
 * about the person.
 */
function rememberWay(request: AuthRequest, provider: string): void {
  if (request.providers.usable.size < 2) return
  addCookie(request, ownCookieName(request, 'lastWay'), provider, { maxAge: MAX_AGE })
}

/** A person who deletes their account leaves no mark of it in the browser. */
function forgetWay(request: AuthRequest): void {
  const name = ownCookieName(request, 'lastWay')
  if (cookieValues(request.cookieHeader, name).length === 0) return
  addCookie(request, name, '', { maxAge: 0 })
}

/** The provider that this browser says it has used last, if it is still there. A mark on a page and no more. */
function lastUsed(request: AuthRequest): string | undefined {
  const values = cookieValues(request.cookieHeader, ownCookieName(request, 'lastWay'))
  return values.find((id) => request.providers.usable.has(id))
}
