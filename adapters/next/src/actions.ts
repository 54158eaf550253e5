import {
  type ActionForm,
  type ActionOptions,
  formOf,
  Refusal,
  submitForm,
  submitUpdate,
} from '@latchkey/host'
import { AuthError, type Session } from '@latchkey/session'
import type { NextApp } from './next-app.js'
import { PageRequest } from './next-request.js'
import { seeOther } from './redirect.js'

type Params = ConstructorParameters<typeof URLSearchParams>[0]

/** The functions for server actions and route handlers. */
export function actionsOf(app: NextApp) {
  async function submit(
    action: ActionForm['action'],
    options: ActionOptions | undefined,
    more: Pick<ActionForm, 'providerId' | 'authorizationParams'> = {},
  ): Promise<string> {
    const own = await writable(app, action)
    const form = async () => ({ action, ...more, ...fieldsOf(app, options) })
    const { url } = await changing(own, async () =>
      submitForm(await app.host.submission(own), form),
    )
    return redirects(options) ? seeOther(url) : url
  }
  return {
    signIn: (providerId?: string, options?: ActionOptions, params?: Params) =>
      submit('signIn', options, { providerId, authorizationParams: new URLSearchParams(params) }),
    signOut: (options?: ActionOptions) => submit('signOut', options),
    update: async (data: unknown): Promise<Session | null> => {
      const own = await writable(app, 'update')
      await changing(own, async () => submitUpdate(await app.host.submission(own), data))
      return own.session.session()
    },
  }
}

/** A request whose answer can set cookies. @throws {AuthError} */
async function writable(app: NextApp, name: string): Promise<PageRequest> {
  const own = await app.current()
  if (own.setsCookies) return own
  throw new AuthError(
    `${name} sets cookies, which Next allows in server actions and route handlers alone.`,
  )
}

/** Work that may change the session. */
async function changing<Result>(own: PageRequest, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (fault) {
    throw fault instanceof Refusal ? new AuthError(fault.message) : fault
  } finally {
    own.session.forget()
    // In a wrapped handler too: what comes next may be a redirect, of which Next makes the answer.
    PageRequest.prototype.setCookies.call(own)
  }
}

/** @throws {Refusal} for a file, and for a field that was sent twice */
function fieldsOf(app: NextApp, options: ActionOptions | undefined) {
  const { redirectTo, fields } = formOf(options)
  fields?.delete('redirect')
  return { redirectTo: redirectTo && app.path(redirectTo), fields: fields ?? new URLSearchParams() }
}

function redirects(options: ActionOptions | undefined): boolean {
  return !(options && !(options instanceof FormData) && options.redirect === false)
}
